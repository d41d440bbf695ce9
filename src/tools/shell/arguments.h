// Options as lnetctl takes them: getopt_long with its abbreviations and messages, and a verbosity
// that comes in the next word. Source: spec/cli-lnetctl.md 1, 14.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::tools {

using Words = std::vector<std::string>;

struct Option {
  enum Kind {
    kFlag,
    kValue,
    kLevel,       ///< -v [N]: "-v2" is no option
    kLevelLoose,  ///< -v [N]: "-v2" is taken, as level 1
  };
  const char* name;
  char letter;  ///< 0: none
  Kind kind = kFlag;
};

/// The options of one command line; of a repeated one the last counts, unless all are asked for.
class Arguments {
 public:
  /// Nothing when an option is wrong: getopt has said so on stderr. words[0] names the speaker.
  static std::optional<Arguments> parse(const Words& words, std::initializer_list<Option> options);

  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  std::optional<std::string> value(std::string_view name) const;
  /// Every value that was given, in order.
  Words values(std::string_view name) const;
  /// The value as a number; nothing when absent or not a number of 32 bits.
  std::optional<std::int32_t> number(std::string_view name) const;
  /// The verbosity: 0 when not asked for, 1 when no number follows.
  int level(std::string_view name) const;
  const Words& rest() const { return rest_; }

 private:
  std::map<std::string, Words, std::less<>> values_;
  Words rest_;
};

/// All of the text as a decimal number.
std::optional<std::int64_t> parse_number(std::string_view text);

}  // namespace ulnet::tools
