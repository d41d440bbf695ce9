// Puts NIs and peer NIs into recovery when their health falls, takes them out when it is full, and
// lists them. Source: spec/multirail.md 5.2, 7.
#include "lnet/core/flow/in_recovery.h"

#include <algorithm>

namespace ulnet::core {

namespace {

Standing standing_of(const LocalNi& ni) { return {.health = ni.health, .last_heard = kNever}; }

Standing standing_of(const PeerNi& ni) {
  const bool only_reported =
      ni.reported != ReportedStatus::kNothing && ni.last_heard == Instant::min();
  return {.health = ni.known->health, .last_heard = only_reported ? kNever : ni.last_heard};
}

void begin(Step& step, InRecovery& record) {
  begin_recovery(record.recovery, step.now);
  record.since = ++step.s.recoveries;
  step.s.timers.arm(record, due_of(record.recovery));
}

/// Starts or ends the recovery of an NI whose health has changed. An ill NI enters recovery unless
/// it is in recovery already or the shard is shut down. A well NI leaves recovery only in the phase
/// kWaiting.
void health_changed(Step& step, InRecovery& record, std::int32_t health) {
  const bool well = health >= kHealthMax;
  if (well && record.recovery.phase == RecoveryPhase::kWaiting) leave_recovery(record);
  if (!well && !record.recovery.is_on() && !step.s.shut_down) begin(step, record);
}

InRecovery* make_recovery(Step& step, const Nid& nid, NiId ni) {
  auto [self, record] = step.s.recovering.make();
  record->self = self;
  record->nid = nid;
  record->ni = ni;
  return record;
}

}  // namespace

void ni_health_changed(Step& step, LocalNi& ni) {
  if (ni.loopback() || ni.phase != NiPhase::kUp) return;
  if (ni.recovery == nullptr && ni.health >= kHealthMax) return;
  if (ni.recovery == nullptr) ni.recovery = make_recovery(step, ni.nid(), ni.config.id);
  health_changed(step, *ni.recovery, ni.health);
}

void peer_ni_health_changed(Step& step, PeerNi& ni) {
  const Standing standing = standing_of(ni);
  if (ni.recovery == nullptr || !ni.recovery->recovery.is_on()) {
    const bool never_alive = standing.last_heard == Instant::min();
    if (standing.health >= kHealthMax || never_alive || ni.moved || ni.nid.is_loopback()) return;
    if (is_aged_out(standing, step.now, step.config().globals.recovery_limit)) return;
    if (ni.recovery == nullptr) ni.recovery = make_recovery(step, ni.nid, {});
  }
  health_changed(step, *ni.recovery, standing.health);
}

void peer_ni_heard(Step& step, PeerNi& ni) {
  if (ni.recovery != nullptr) ni.recovery->recovery.ping_count = 0;
  peer_ni_health_changed(step, ni);
}

void ping_soon(Step& step, PeerNi& ni) {
  if (ni.recovery == nullptr || !ni.recovery->recovery.is_on()) return;
  begin_pause(ni.recovery->recovery, step.now);
  step.s.timers.arm(*ni.recovery, due_of(ni.recovery->recovery));
}

std::optional<Standing> standing_of(const Step& step, const InRecovery& record) {
  if (step.s.shut_down) return std::nullopt;
  if (record.ni.value != 0) {
    const LocalNi* ni = step.s.nis.find(record.ni);
    return ni == nullptr || ni->phase != NiPhase::kUp ? std::nullopt
                                                      : std::optional(standing_of(*ni));
  }
  const PeerNi* ni = step.s.peers.find_ni(record.nid);
  return ni == nullptr || ni->moved ? std::nullopt : std::optional(standing_of(*ni));
}

void leave_recovery(InRecovery& record) {
  record.cancel();
  record.recovery.on(RecoveryEvent::kLeave);
  record.recovery.ping_count = 0;
}

void show_recovery(const Step& step, call::ShowRecovery& call) {
  std::vector<const InRecovery*> records;
  step.s.recovering.for_each([&](Handle, const InRecovery& record) {
    if (record.recovery.is_on() && (record.ni.value != 0) == call.local) records.push_back(&record);
  });
  std::sort(records.begin(), records.end(),
            [](const auto* a, const auto* b) { return a->since < b->since; });
  for (const InRecovery* record : records) call.nids.push_back(record->nid);
}

}  // namespace ulnet::core
