#include "lnet/node/runtime/driver_log.h"

#include <utility>

#include "lnet/node/runtime/clock.h"

namespace ulnet::node {

using lnd::Report;
using lnd::Severity;

namespace {

NodeEvent::Type type_of(lnd::Topic topic) {
  switch (topic) {
    case lnd::Topic::kPeer:
      return NodeEvent::Type::kPeer;
    case lnd::Topic::kMemory:
      return NodeEvent::Type::kMemory;
    case lnd::Topic::kConnection:
      break;
  }
  return NodeEvent::Type::kConnection;
}

}  // namespace

DriverLog::DriverLog(Timekeeper& keeper, int level, Say say, NodeEvents* events)
    : keeper_(keeper), level_(level), say_(std::move(say)), events_(events) {}

void DriverLog::report(const Report& report) {
  const Severity severity = report.severity;
  if (severity != Severity::kDebug && events_ != nullptr)
    events_->add({.type = type_of(report.topic),
                  .level = static_cast<std::uint8_t>(severity),
                  .nid = report.peer,
                  .text = report.text.make()});
  if (static_cast<int>(severity) < level_) return;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (severity == Severity::kDebug && waiting_.size() >= kWaiting) return;
    LogLimit::Admitted admitted;
    if (severity != Severity::kDebug) {
      LogLimit& limit = limits_[severity == Severity::kInfo ? 0 : 1];
      const auto found = limit.admit(report.key, now());
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
    std::string line = report.text.make();
    if (admitted.left_out != 0)
      line += " (" + std::to_string(admitted.left_out) + " more times since the last such line)";
    if (admitted.last) line += " (for further addresses the node only counts such events)";
    say_(static_cast<int>(report.severity), line);
  }
}

}  // namespace ulnet::node
