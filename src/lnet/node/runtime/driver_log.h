// Turns the reports of drivers into events (NodeEvents) and into lines of the node's log: drops
// those below the level, limits repeats (LogLimit) and formats the rest. Lines are formatted on the
// timekeeper's thread, never on a thread that moves messages.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "lnet/lnd/report.h"
#include "lnet/node/runtime/log_limit.h"
#include "lnet/node/runtime/node_events.h"
#include "lnet/node/runtime/timekeeper.h"

namespace ulnet::node {

class DriverLog final : public lnd::ReportSink {
 public:
  using Say = std::function<void(int level, const std::string& line)>;
  /// How many reports may wait to be formatted; beyond that, debug reports are dropped.
  static constexpr std::size_t kWaiting = 256;

  /// Calls `say` with the lines of `level` (0 debug to 3 error) and above, on the thread of
  /// `keeper`. `events` (may be null) gets all reports except debug reports. `keeper`, `events` and
  /// what `say` refers to must outlive this object.
  DriverLog(Timekeeper& keeper, int level, Say say, NodeEvents* events = nullptr);
  /// Logs the reports that still wait, on the calling thread.
  ~DriverLog() override { say_waiting(); }
  DriverLog(const DriverLog&) = delete;
  DriverLog& operator=(const DriverLog&) = delete;

  /// Any thread. Applies to later reports.
  void set_level(int level) { level_ = level; }

  // lnd::ReportSink; any thread. Drops repeats here, before they are queued, so that a flood
  // of reports cannot fill the queue.
  void report(const lnd::Report& report) override;

 private:
  struct Waiting {
    lnd::Report report;
    LogLimit::Admitted admitted;
  };
  void say_waiting();

  Timekeeper& keeper_;
  std::atomic<int> level_;
  const Say say_;
  NodeEvents* const events_;
  std::mutex mutex_;                // guards the rest; held briefly
  std::array<LogLimit, 2> limits_;  ///< one for info, one for warnings and errors
  std::vector<Waiting> waiting_;
};

}  // namespace ulnet::node
