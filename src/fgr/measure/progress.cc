#include "fgr/measure/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "selftest/ulst/run/figures.h"

namespace ulnet::tools::fgr {
namespace {

class MeasureLines final : public MeasureProgress {
 public:
  explicit MeasureLines(bool terminal) : terminal_(terminal) {}

  void begin(std::size_t number, std::size_t of, const std::string& title,
             std::uint32_t concurrency) override {
    head_ = fmt::format("[{}/{}] {}, concurrency {}", number, of, title, concurrency);
    if (terminal_) fmt::print(stderr, "\r{}: making a session ...\x1b[K", head_);
  }
  void show(Duration elapsed, Duration total, double bytes_per_s) override {
    if (!terminal_) return;
    const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
    fmt::print(stderr, "\r{}: {:.1f} of {}, {} MiB/s\x1b[K", head_, seconds(elapsed),
               lst::run::seconds_text(seconds(total)), lst::run::mib_text(bytes_per_s));
  }
  void end(const Measured* measured) override {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
    if (measured == nullptr) return;
    double all = 0;
    std::size_t failed = 0;
    for (const plan::OssFigure& figure : measured->figures) {
      all += figure.bytes_per_s;
      failed += !figure.failed.empty();
    }
    if (!terminal_ || failed != 0)
      fmt::print(
          stderr, "{}: {} MiB/s{}\n", head_, lst::run::mib_text(all),
          failed == 0 ? "" : fmt::format(", without {} OSS{}", failed, failed == 1 ? "" : "s"));
  }

 private:
  const bool terminal_;
  std::string head_;
};

}  // namespace

std::unique_ptr<MeasureProgress> measure_progress() {
  return std::make_unique<MeasureLines>(::isatty(STDERR_FILENO) != 0);
}

}  // namespace ulnet::tools::fgr
