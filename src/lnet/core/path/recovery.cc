// Decides when an NI or peer NI in recovery is pinged next, and when its recovery ends. Source:
// spec/multirail.md 7.
#include "lnet/core/path/recovery.h"

#include <algorithm>
#include <bit>

#include "lnet/core/contract/ports.h"

namespace ulnet::core {

using std::chrono::seconds;

constinit const LifeCycle<RecoveryPhase, RecoveryEvent> kRecoveryLifeCycle = [] {
  using P = RecoveryPhase;
  using E = RecoveryEvent;
  return LifeCycle<RecoveryPhase, RecoveryEvent>({
      {P::kNone, E::kUnwell, P::kWaiting},
      {P::kWaiting, E::kPing, P::kPinging},
      {P::kWaiting, E::kLeave, P::kNone},
      {P::kPinging, E::kPingEnded, P::kWaiting},
  });
}();

const char* to_string(RecoveryPhase phase) {
  static constexpr const char* kNames[] = {"none", "waiting", "pinging"};
  return phase < RecoveryPhase::kCount ? kNames[static_cast<std::size_t>(phase)] : "?";
}

const char* to_string(RecoveryEvent event) {
  static constexpr const char* kNames[] = {"unwell", "ping", "ping ended", "leave"};
  return event < RecoveryEvent::kCount ? kNames[static_cast<std::size_t>(event)] : "?";
}

namespace {

std::int64_t second_of(Instant now) {
  return std::chrono::floor<seconds>(now.time_since_epoch()).count();
}

/// Seconds until the next ping after `count` pings: 2^count, with an exponent of at most
/// floor(log2(max_interval)).
std::int64_t interval(std::int32_t count, std::int32_t max_interval) {
  const auto most = static_cast<std::uint32_t>(std::max(max_interval, 1));
  const auto cap = static_cast<std::int32_t>(std::bit_width(most) - 1);
  return std::int64_t{1} << std::clamp(count, 0, cap);
}

}  // namespace

void begin_recovery(Recovery& recovery, Instant now) {
  recovery.on(RecoveryEvent::kUnwell);
  begin_pause(recovery, now);
}

void begin_pause(Recovery& recovery, Instant now) {
  recovery.ping_count = 0;
  recovery.next_ping = second_of(now) + 1;
}

void count_ping(Recovery& recovery, Instant now, std::int32_t max_interval) {
  recovery.on(RecoveryEvent::kPing);
  recovery.next_ping = second_of(now) + interval(++recovery.ping_count, max_interval);
}

Instant due_of(const Recovery& recovery) { return Instant(seconds(recovery.next_ping)); }

bool is_aged_out(const Standing& standing, Instant now, std::int32_t limit) {
  if (limit <= 0 || standing.last_heard == kNever) return false;
  return standing.last_heard == Instant::min() || now - standing.last_heard > seconds(limit);
}

RecoveryStep next_of(const Recovery& recovery, const Standing& standing, Instant now,
                     std::int32_t limit) {
  if (recovery.phase != RecoveryPhase::kWaiting) return RecoveryStep::kWait;
  if (standing.health >= kHealthMax) return RecoveryStep::kLeave;
  if (now < due_of(recovery)) return RecoveryStep::kWait;
  return is_aged_out(standing, now, limit) ? RecoveryStep::kLeave : RecoveryStep::kPing;
}

}  // namespace ulnet::core
