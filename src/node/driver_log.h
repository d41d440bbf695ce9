// The driver's reports as lines of the node's log: which are wanted, how often, and in words. The
// words are made on the thread that keeps the time, never on one that moves messages.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "lnd/sock/report.h"
#include "node/log_limit.h"
#include "node/timekeeper.h"

namespace ulnet::node {

class DriverLog final : public lnd::sock::ReportSink {
 public:
  using Say = std::function<void(int level, const std::string& line)>;
  /// Reports that wait for their line; beyond, debug reports are left out.
  static constexpr std::size_t kWaiting = 256;

  /// `say` gets the lines of `level` (0 debug to 3 error) and above, on the thread of `keeper`;
  /// both must outlive it.
  DriverLog(Timekeeper& keeper, int level, Say say);
  /// Says what still waits.
  ~DriverLog() override { say_waiting(); }
  DriverLog(const DriverLog&) = delete;
  DriverLog& operator=(const DriverLog&) = delete;

  /// Any thread; for what is reported from now on.
  void set_level(int level) { level_ = level; }

  // lnd::sock::ReportSink. Repeats are left out here, so that who floods fills no queue.
  void report(const lnd::sock::Report& report) override;

 private:
  struct Waiting {
    lnd::sock::Report report;
    LogLimit::Admitted admitted;
  };
  void say_waiting();

  Timekeeper& keeper_;
  std::atomic<int> level_;
  const Say say_;
  std::mutex mutex_;                // guards the rest; held briefly
  std::array<LogLimit, 2> limits_;  ///< of what is usual (info), and of what is not
  std::vector<Waiting> waiting_;
};

}  // namespace ulnet::node
