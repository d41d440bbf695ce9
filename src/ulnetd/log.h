// The daemon's log: one line per event, as text or JSON, to stderr or a file; with priorities if
// the journal reads it.
#pragma once

#include <memory>
#include <string>

#include "admin/conf/daemon_settings.h"
#include "ulnet/result.hpp"

namespace spdlog {
class logger;
class formatter;
}  // namespace spdlog

namespace ulnet::tools {

class FoldSink;

/// All methods may be called by any thread.
class Log {
 public:
  /// -errno with the reason when the file cannot be opened.
  static Result<Log> open(const conf::DaemonSettings& settings, const std::string& node);

  /// Goes on in a new file of the same name, after the old one was moved away. -errno with the
  /// reason when it cannot be opened; the old file is then kept. Does nothing when the log goes to
  /// stderr.
  Result<void> reopen();
  /// `name`: one of conf::kLogLevels.
  void set_level(const std::string& name);

  void debug(const std::string& line);
  void info(const std::string& line);
  void warn(const std::string& line);
  void error(const std::string& line);

  /// For NodeOptions::log: `context` is a Log, `level` is 0 (debug) to 3 (error).
  static void from_node(void* context, int level, const char* line);

  /// The lowest level that is shown, as a number of from_node().
  int level() const;

  /// Shows the counts of folded lines that are due; with `all` every count.
  void show_repeats(bool all = false);

 private:
  std::string file_;  // empty: stderr
  std::shared_ptr<spdlog::formatter> formatter_;
  std::shared_ptr<FoldSink> fold_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace ulnet::tools
