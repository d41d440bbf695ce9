// One run of ulst: what it is called, whose session it works on, and which console it talks to.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/shell/speak.h"
#include "tools/ulst/console_door.h"
#include "tools/ulst/watch.h"

namespace ulnet::tools::lst {

/// Exit codes (spec/cli-lst.md 1; the second as recorded).
inline constexpr int kFailed = 255;
inline constexpr int kUsage = 4;

/// What lst says for an errno, in place of the console's sentence.
struct Wording {
  int code = 0;
  std::string sentence = {};
};

class Tool {
 public:
  /// `key`: the session's, 0 for none. `console` and `watch` must outlive this.
  Tool(std::string program, std::uint32_t key, ConsoleDoor& console, Watch& watch)
      : program_(std::move(program)), key_(key), console_(console), watch_(watch) {}
  /// The same, for the session with that key.
  Tool with_key(std::uint32_t key) const { return {program_, key, console_, watch_}; }

  const std::string& program() const { return program_; }
  std::uint32_t key() const { return key_; }
  Watch& watch() const { return watch_; }

  /// One command of the console, under the session's key. The error's reason is a sentence.
  Result<Tree> call(const std::string& command, Tree arguments) const;
  /// ... Nothing when it failed: why has then been said on the standard error.
  std::optional<Tree> ask(const std::string& command, Tree arguments, const Wording& wording = {});
  /// ... and says what the single nodes did wrong.
  std::optional<Tree> ask_nodes(const std::string& command, Tree arguments,
                                const Wording& wording = {});
  /// False when the console says that it has none.
  bool has_session();
  /// A sentence on the standard error; returns the exit code.
  int fail(std::string_view sentence, int code = kFailed) const;

 private:
  const std::string program_;
  const std::uint32_t key_;
  ConsoleDoor& console_;
  Watch& watch_;
};

/// The key in the text of LST_SESSION: a number other than 0; nothing else is one.
std::optional<std::uint32_t> session_key(const char* text);

}  // namespace ulnet::tools::lst
