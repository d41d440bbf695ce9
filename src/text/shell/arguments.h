// Options as lnetctl parses them: getopt_long with its abbreviations and messages, and a
// verbosity whose level is the next word. Source: spec/cli-lnetctl.md 1, 14.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/quantity.h"

namespace ulnet::tools {

using Words = std::vector<std::string>;

struct Option {
  enum Kind {
    kFlag,
    kValue,
    kLevel,       ///< -v [N]; "-v2" is an error
    kLevelLoose,  ///< -v [N]; "-v2" is accepted, as level 1
    kMaybe,       ///< --hop, --hop N, --hop=TEXT; without a value the empty text
  };
  const char* name;
  char letter;  ///< 0: no short option
  Kind kind = kFlag;
};

/// The options of one command line. If an option is repeated, its last value counts, except for
/// values().
class Arguments {
 public:
  /// Parses the command line. Returns nothing when an option is wrong; getopt has then printed the
  /// reason on stderr. words[0] is the name that getopt prints.
  static std::optional<Arguments> parse(const Words& words, std::initializer_list<Option> options);

  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  std::optional<std::string> value(std::string_view name) const;
  /// Returns every value of the option, in order.
  Words values(std::string_view name) const;
  /// Returns the value as a number; nothing when it is absent or not a number of 32 bits.
  std::optional<std::int32_t> number(std::string_view name) const;
  /// Returns the verbosity: 0 without the option, 1 when no number follows it.
  int level(std::string_view name) const;
  const Words& rest() const { return rest_; }

 private:
  std::map<std::string, Words, std::less<>> values_;
  Words rest_;
};

using text::parse_number;

}  // namespace ulnet::tools
