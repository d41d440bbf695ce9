#include "ulnetd/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ulnetd/file_sink.h"
#include "ulnetd/fold_sink.h"

namespace ulnet::tools {

namespace {

constexpr const char* kTimePattern = "%Y-%m-%dT%H:%M:%S.%eZ";

/// Formats a line as {"time":"...","level":"error","node":"a","message":"..."}.
class JsonFormatter : public spdlog::formatter {
 public:
  explicit JsonFormatter(std::string node) : node_(std::move(node)) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    const spdlog::string_view_t level = spdlog::level::to_string_view(message.level);
    const nlohmann::ordered_json line = {
        {"time", std::string(time.data(), time.size())},
        {"level", std::string(level.data(), level.size())},
        {"node", node_},
        {"message", std::string(message.payload.data(), message.payload.size())}};
    const std::string text =
        line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>(node_);
  }

 private:
  const std::string node_;
  spdlog::pattern_formatter time_{kTimePattern, spdlog::pattern_time_type::utc, ""};
};

/// Formats a line as "<3>ulnetd[a]: ..." for the journal, which adds its own times; elsewhere with
/// a time.
class TextFormatter : public spdlog::formatter {
 public:
  TextFormatter(std::string node, bool journal) : node_(std::move(node)), journal_(journal) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    if (journal_) {
      const char priority[] = {'<', priority_of(message.level), '>'};
      to.append(priority, priority + sizeof priority);
    } else {
      time_.format(message, to);
    }
    const spdlog::string_view_t level = spdlog::level::to_string_view(message.level);
    add(to, node_);
    add(to, ": ");
    if (message.level != spdlog::level::info) {
      to.append(level.data(), level.data() + level.size());
      add(to, ": ");
    }
    for (const char c : message.payload)
      to.push_back(static_cast<unsigned char>(c) < ' ' ? ' ' : c);  // one line per event
    to.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<TextFormatter>(node_, journal_);
  }

 private:
  static char priority_of(spdlog::level::level_enum level) {
    if (level >= spdlog::level::err) return '3';
    if (level == spdlog::level::warn) return '4';
    return level == spdlog::level::info ? '6' : '7';
  }
  static void add(spdlog::memory_buf_t& to, const std::string& text) {
    to.append(text.data(), text.data() + text.size());
  }

  const std::string node_;
  const bool journal_;
  spdlog::pattern_formatter time_{std::string(kTimePattern) + " ", spdlog::pattern_time_type::utc,
                                  ""};
};

/// Whether the journal reads this process's stderr. The journal names it in the environment:
/// "device:inode".
bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat own {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &own) != 0) return false;
  return stream == std::to_string(own.st_dev) + ":" + std::to_string(own.st_ino);
}

spdlog::level::level_enum level_of(const std::string& name) {
  if (name == "debug") return spdlog::level::debug;
  if (name == "warning") return spdlog::level::warn;
  return name == "error" ? spdlog::level::err : spdlog::level::info;
}

/// Makes the sink that writes to `file`; empty: to stderr.
Result<spdlog::sink_ptr> open_sink(const std::string& file, const spdlog::formatter& formatter) {
  spdlog::sink_ptr sink;
  if (file.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    auto opened = FileSink::open(file);
    if (!opened) return tl::unexpected(opened.error());
    sink = *std::move(opened);
  }
  sink->set_formatter(formatter.clone());
  return sink;
}

}  // namespace

Result<Log> Log::open(const conf::DaemonSettings& settings, const std::string& node) {
  Log log;
  log.file_ = settings.log_file.value_or("");
  if (settings.log_format == "json")
    log.formatter_ = std::make_shared<JsonFormatter>(node);
  else
    log.formatter_ =
        std::make_shared<TextFormatter>(node, log.file_.empty() && stderr_is_journal());
  auto sink = open_sink(log.file_, *log.formatter_);
  if (!sink) return tl::unexpected(sink.error());
  log.fold_ = std::make_shared<FoldSink>(*std::move(sink));
  log.logger_ = std::make_shared<spdlog::logger>("ulnetd", log.fold_);
  log.set_level(settings.log_level.value_or("info"));
  log.logger_->flush_on(spdlog::level::debug);
  return log;
}

Result<void> Log::reopen() {
  if (file_.empty()) return {};
  auto sink = open_sink(file_, *formatter_);
  if (!sink) return tl::unexpected(sink.error());
  fold_->continue_in(*std::move(sink));
  return {};
}

void Log::set_level(const std::string& name) { logger_->set_level(level_of(name)); }

void Log::debug(const std::string& line) { logger_->debug(line); }
void Log::info(const std::string& line) { logger_->info(line); }
void Log::warn(const std::string& line) { logger_->warn(line); }
void Log::error(const std::string& line) { logger_->error(line); }

void Log::from_node(void* context, int level, const char* line) {
  Log& log = *static_cast<Log*>(context);
  if (level <= 0) return log.debug(line);
  if (level == 1) return log.info(line);
  return level == 2 ? log.warn(line) : log.error(line);
}

int Log::level() const {
  const auto level = logger_->level();
  if (level <= spdlog::level::debug) return 0;
  if (level == spdlog::level::info) return 1;
  return level == spdlog::level::warn ? 2 : 3;
}

void Log::show_repeats(bool all) {
  if (all)
    fold_->show_all();
  else
    fold_->show_due(spdlog::log_clock::now());
}

}  // namespace ulnet::tools
