// A log sink that folds repeated lines. It shows the first of equal warnings and errors at once,
// counts those that follow within kWhile, and then shows the count.
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <list>
#include <mutex>
#include <string>

namespace ulnet::tools {

class FoldSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  static constexpr std::chrono::seconds kWhile{10};
  /// The number of lines that it remembers; for a further line it shows the count of the oldest.
  static constexpr std::size_t kRemembered = 64;

  explicit FoldSink(spdlog::sink_ptr below) : below_(std::move(below)) {}

  /// Shows the counts whose kWhile is over at `now`. Called about once a second.
  void show_due(spdlog::log_clock::time_point now);
  /// Shows all counts, when the daemon is ending.
  void show_all();
  /// All further lines go to `below`, which must have its formatter already. Any thread.
  void continue_in(spdlog::sink_ptr below);

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override { below_->flush(); }
  void set_pattern_(const std::string& pattern) override { below_->set_pattern(pattern); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    below_->set_formatter(std::move(formatter));
  }

 private:
  struct Seen {
    spdlog::level::level_enum level;
    std::string text;
    spdlog::log_clock::time_point since;
    std::size_t repeats = 0;
  };
  void show_count(const Seen& seen);

  spdlog::sink_ptr below_;  // guarded by the base's mutex
  std::list<Seen> seen_;    // oldest first; guarded by the base's mutex
};

}  // namespace ulnet::tools
