// Logs when the process becomes short of memory and when it no longer is, and makes the reserve
// take its memory again.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace ulnet::tools {

class MemoryReport {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Does what node::MemoryReserve::restore() does.
  using Restore = std::function<bool()>;
  explicit MemoryReport(Restore restore) : restore_(std::move(restore)) {}

  /// Call this at least once a second. `is_short`: the process is short of memory now. Returns the
  /// line to log; empty: nothing is new. It tries to restore the reserve a second after memory
  /// became short, and then once a second.
  std::string look(Time now, bool is_short);

 private:
  static constexpr std::chrono::seconds kGap{1};
  const Restore restore_;
  bool reported_ = false;
  Time since_{};  ///< when it last tried to restore the reserve, or found memory short
};

}  // namespace ulnet::tools
