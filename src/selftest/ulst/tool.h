// One run of ulst: its name, the key of its session, and the console that it uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "selftest/ulst/console_client.h"
#include "selftest/ulst/watch.h"
#include "text/shell/speak.h"

namespace ulnet::tools::lst {

/// Exit codes (spec/cli-lst.md 1; the second one as recorded).
inline constexpr int kFailed = 255;
inline constexpr int kUsage = 4;

/// The sentence that lst prints for an errno, instead of the console's sentence.
struct Wording {
  int code = 0;
  std::string sentence = {};
};

class Tool {
 public:
  /// `key` is the key of the session; 0: no session. `console` and `watch` must outlive this
  /// object.
  Tool(std::string program, std::uint32_t key, ConsoleClient& console, Watch& watch)
      : program_(std::move(program)), key_(key), console_(console), watch_(watch) {}
  /// Returns the same tool for the session with that key.
  Tool with_key(std::uint32_t key) const { return {program_, key, console_, watch_}; }

  const std::string& program() const { return program_; }
  std::uint32_t key() const { return key_; }
  Watch& watch() const { return watch_; }

  /// Calls one command of the console with the session's key. An error's reason is a sentence for
  /// the user.
  Result<Tree> call(const std::string& command, Tree arguments) const;
  /// Calls as call() does. Returns nothing, after a message on standard error, when the call
  /// failed.
  std::optional<Tree> ask(const std::string& command, Tree arguments, const Wording& wording = {});
  /// Calls as ask() does; also prints a line for each node that failed or refused.
  std::optional<Tree> ask_nodes(const std::string& command, Tree arguments,
                                const Wording& wording = {});
  /// Whether the console has a session.
  bool has_session();
  /// Prints a sentence on the standard error; returns `code`.
  int fail(std::string_view sentence, int code = kFailed) const;

 private:
  const std::string program_;
  const std::uint32_t key_;
  ConsoleClient& console_;
  Watch& watch_;
};

/// Returns the key in the text of LST_SESSION, a number other than 0; nothing for any other text.
std::optional<std::uint32_t> session_key(const char* text);

}  // namespace ulnet::tools::lst
