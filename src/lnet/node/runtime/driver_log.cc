#include "lnet/node/runtime/driver_log.h"

#include <utility>

#include "lnet/node/runtime/clock.h"

namespace ulnet::node {

using lnd::sock::Report;
using lnd::sock::Severity;

namespace {

NodeEvent::Type type_of(lnd::sock::Count what) {
  using lnd::sock::Count;
  switch (what) {
    case Count::kPeersUp:
    case Count::kPeersDown:
      return NodeEvent::Type::kPeer;
    case Count::kRefusedNoMemory:
    case Count::kHoldShort:
      return NodeEvent::Type::kMemory;
    default:
      return NodeEvent::Type::kConnection;
  }
}

}  // namespace

DriverLog::DriverLog(Timekeeper& keeper, int level, Say say, NodeEvents* events)
    : keeper_(keeper), level_(level), say_(std::move(say)), events_(events) {}

void DriverLog::report(const Report& report) {
  const Severity severity = lnd::sock::severity_of(report.what);
  if (severity != Severity::kDebug && events_ != nullptr)
    events_->add({.type = type_of(report.what),
                  .level = static_cast<std::uint8_t>(severity),
                  .nid = report.peer,
                  .text = to_text(report)});
  if (static_cast<int>(severity) < level_) return;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (severity == Severity::kDebug && waiting_.size() >= kWaiting) return;
    LogLimit::Admitted admitted;
    if (severity != Severity::kDebug) {
      LogLimit& limit = limits_[severity == Severity::kInfo ? 0 : 1];
      const auto found = limit.admit(report.what, report.remote.address, now());
      if (!found) return;
      admitted = *found;
    }
    first = waiting_.empty();
    waiting_.push_back({report, admitted});
  }
  if (first) keeper_.after({}, [this] { say_waiting(); });
}

void DriverLog::say_waiting() {
  std::vector<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
  }
  for (const auto& [report, admitted] : waiting) {
    std::string line = to_text(report);
    if (admitted.left_out != 0)
      line += " (" + std::to_string(admitted.left_out) + " more times since the last such line)";
    if (admitted.last) line += " (for further addresses the node only counts such events)";
    say_(static_cast<int>(lnd::sock::severity_of(report.what)), line);
  }
}

}  // namespace ulnet::node
