// Sends the recovery pings of NIs and peer NIs, and reads their REPLYs. Source: spec/multirail.md
// 4.4, 7.
#include "lnet/core/flow/recovery.h"

#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/flow/portal0_requests.h"
#include "lnet/wire/ping_info.h"

namespace ulnet::core {

namespace {

/// Sends the GET of a recovery ping to exactly the NID of `to`, from any NI. The GET is not sent
/// again after a failure.
void send_recovery_ping(Step& step, const InRecovery& to) {
  Portal0Md& ping = make_record(step, Portal0Md::Kind::kRecoveryPing,
                                std::vector<std::byte>(limits::kPingBufferMin));
  ping.target = {to.nid, Pid::lustre()};
  ping.deadline = step.now + std::chrono::seconds(step.config().globals.transaction_timeout);
  ping.peer = to.self;
  send_ping(step, ping);
}

void go_on(Step& step, InRecovery& record) {
  Recovery& recovery = record.recovery;
  if (recovery.phase != RecoveryPhase::kWaiting) return;
  const auto standing = standing_of(step, record);
  if (!standing) return leave_recovery(record);
  const Globals& globals = step.config().globals;
  switch (next_of(recovery, *standing, step.now, globals.recovery_limit)) {
    case RecoveryStep::kLeave:
      return leave_recovery(record);
    case RecoveryStep::kWait:
      return step.s.timers.arm(record, due_of(recovery));
    case RecoveryStep::kPing:
      record.cancel();
      count_ping(recovery, step.now, globals.max_recovery_ping_interval);
      return send_recovery_ping(step, record);
  }
}

/// Reads the status of the peer NI from its REPLY.
void read_status(Step& step, PeerNi& ni, const Portal0Md& ping) {
  const auto limit = static_cast<std::uint32_t>(step.config().globals.max_interfaces);
  const auto info = wire::decode_ping_info(answer_of(ping), limit);
  if (!info) return;  // the info is longer than the buffer; pushes report the status
  for (const auto* entries : {&info->legacy, &info->large})
    for (const wire::PingEntry& entry : *entries)
      if (entry.nid == ni.nid) peer_ni_reported(step, ni, entry.status == wire::NiStatus::kUp);
}

/// A peer NI has answered its ping.
void answered(Step& step, PeerNi& ni, Recovery& recovery, const Portal0Md& ping) {
  // The REPLY has already raised the health of the neighbour from which it came, with two
  // exceptions. raise_health() ignores messages from an NI that was reported down, because they may
  // have been sent before; but this REPLY answers a later ping. Behind a router, the neighbour is
  // the router.
  const bool was_down = ni.reported == ReportedStatus::kDown;
  const bool behind_router = step.s.nis.find(ni.nid.net()) == nullptr;
  read_status(step, ni, ping);
  if (!was_down && !behind_router) return;
  recovery.ping_count = 0;
  change_peer_health(step, ni, 1);
}

}  // namespace

/// During a ping only ping_soon() arms the timer.
void on_recovery_due(Step& step, InRecovery& record) {
  if (record.recovery.phase != RecoveryPhase::kPinging) return go_on(step, record);
  MdHandle lost;
  step.s.portal0.mds.for_each([&](Handle, const Portal0Md& ping) {
    if (ping.kind == Portal0Md::Kind::kRecoveryPing && ping.peer == record.self) lost = ping.md;
  });
  abort_once(step, lost, -ECONNRESET);
}

void recovery_ping_ended(Step& step, const Portal0Md& ping) {
  InRecovery* const record = step.s.recovering.find(ping.peer);
  if (record == nullptr) return;  // the NI has been removed
  record->recovery.on(RecoveryEvent::kPingEnded);
  if (ping.status == 0 && record->ni.value == 0)
    if (PeerNi* ni = step.s.peers.find_ni(record->nid)) answered(step, *ni, record->recovery, ping);
  go_on(step, *record);
}

}  // namespace ulnet::core
