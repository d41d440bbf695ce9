// Says in the log when the process is short of memory and when it is not any more, and has the
// reserve taken again.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace ulnet::tools {

class MemoryReport {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// As node::MemoryReserve::restore().
  using Restore = std::function<bool()>;
  explicit MemoryReport(Restore restore) : restore_(std::move(restore)) {}

  /// To be called at least once a second. `is_short`: the process is short of memory now. The line
  /// to be logged; empty: nothing is new. The reserve is tried a second after memory was found to
  /// be short, and then once a second.
  std::string look(Time now, bool is_short);

 private:
  static constexpr std::chrono::seconds kGap{1};
  const Restore restore_;
  bool told_ = false;
  Time since_{};  ///< when the reserve was last tried, or memory found to be short
};

}  // namespace ulnet::tools
