// The daemon's log: one line an event, as text or JSON, to stderr or a file; with priorities where
// the journal reads it.
#pragma once

#include <memory>
#include <string>

#include "conf/daemon_settings.h"
#include "ulnet/result.hpp"

namespace spdlog {
class logger;
class formatter;
}  // namespace spdlog

namespace ulnet::tools {

class FoldSink;

/// Any thread.
class Log {
 public:
  /// -errno with the reason when the file cannot be opened.
  static Result<Log> open(const conf::DaemonSettings& settings, const std::string& node);

  /// The file was moved away, or is about to be: goes on in a new one of its name. -errno with the
  /// reason, and the old file stays, when there can be none. Nothing when the log is no file.
  Result<void> reopen();
  /// One of conf::kLogLevels.
  void set_level(const std::string& name);

  void debug(const std::string& line);
  void info(const std::string& line);
  void warn(const std::string& line);
  void error(const std::string& line);

  /// For NodeOptions::log: `context` is a Log, `level` 0 (debug) to 3 (error).
  static void from_node(void* context, int level, const char* line);

  /// The least level that is shown, as from_node() has it.
  int level() const;

  /// Shows counts of folded lines that are due; all of them at the end.
  void tell_repeats(bool all = false);

 private:
  std::string file_;  // empty: stderr
  std::shared_ptr<spdlog::formatter> formatter_;
  std::shared_ptr<FoldSink> fold_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace ulnet::tools
