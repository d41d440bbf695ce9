// Changes counters, round-trip times and health when a message arrives, ends, fails or is dropped,
// and when a response does not come in time. Source: spec/core-semantics.md 9,
// spec/multirail.md 5.2, 6.
#include "lnet/core/flow/accounting.h"

#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/ni_health.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/path/health.h"

namespace ulnet::core {

namespace {

/// A response did not come in time: lowers the health of the peer NI that should have sent it.
void blame_for_silence(Step& step, PeerNi& peer) {
  if (step.s.nis.find(peer.nid) != nullptr) return;
  peer.on(PeerNiLifeEvent::kFailure);
  change_peer_health(step, peer, -1);
}

/// Whether the peer NI belongs to a router, or this node is a router.
bool is_beside_router(const ShardState& s, const PeerNi& peer) {
  return s.router.forwards() || s.routes.gateway(peer.nid) != nullptr ||
         s.routes.gateway(peer.known->primary()) != nullptr;
}

}  // namespace

void raise_health(Step& step, LocalNi& ni, PeerNi& peer, bool received) {
  if (ni.loopback()) return;
  if (received) {
    // A message from an NI that its peer has reported down was under way before the report, so it
    // does not show that the NI is up. The answer to a recovery ping does (recovery.cc).
    if (peer.reported != ReportedStatus::kDown && peer.known->health < kHealthMax)
      is_beside_router(step.s, peer) ? set_peer_health(step, peer, kHealthMax)
                                     : change_peer_health(step, peer, 1);
    peer_ni_heard(step, peer);
  }
  if (ni.health < kHealthMax) count_outcome(step, ni, 1, received);
}

bool account_failure(Step& step, const Msg& msg, Health health) {
  if (msg.ni->loopback() || health == Health::kOk) return false;
  if (step.now > msg.deadline) {
    ++step.s.counters.late.count;
    step.s.counters.late.nsec += static_cast<std::uint64_t>((step.now - msg.deadline).count());
    return false;
  }
  LocalNi& ni = *msg.ni;
  PeerNi& peer = *msg.peer;
  const HealthRow& row = health_row(health);
  ++(step.s.counters.global.*row.counter);
  if (row.ni_counter != nullptr) ++(ni.errors.*row.ni_counter);
  if (row.peer_counter != nullptr) ++(peer.errors.*row.peer_counter);
  if (row.blames_peer) peer.on(PeerNiLifeEvent::kFailure);
  const bool own_nid = step.s.nis.find(peer.nid) != nullptr;
  if (row.blames_peer && !own_nid && (peer.has_other_nids() || is_beside_router(step.s, peer)))
    change_peer_health(step, peer, -1);
  return true;
}

void blame_ni(Step& step, LocalNi& ni, Health health) {
  if (blames_ni(health)) count_outcome(step, ni, -1);
}

void count_taken(Step& step, LocalNi& ni, PeerNi& peer) {
  ++step.s.counters.global.recv_count;
  account_success(step, ni, peer, true);
}

void count_drop(Step& step, LocalNi* ni, const wire::LnetHeader& header, DropReason reason) {
  step.s.counters.drop(reason);
  ++step.s.counters.global.drop_count;
  step.s.counters.global.drop_length += header.payload_length;
  const wire::MsgType type = header.type();
  if (ni != nullptr) ++count_of(ni->traffic.dropped, type);
}

void count_round_trip(LocalNi& ni, PeerNi& peer, bool reply, Duration took) {
  const auto which = reply ? &Traffic::get_rtt : &Traffic::put_ack;
  (ni.traffic.*which).add(took);
  (peer.traffic.*which).add(took);
}

void count_round_trip_elsewhere(Step& step, NiId ni, const Nid& peer, bool reply, Duration took) {
  ShardState& s = step.s;
  if (LocalNi* used = s.nis.find(ni))
    (reply ? used->traffic.get_rtt : used->traffic.put_ack).add(took);
  if (peer.is_loopback()) return;  // no command shows that peer
  if (const auto gone = s.round_trips.add(peer, reply, took))
    step.send_to_shard(s.placement.of(gone->nid), *gone);
}

/// Calls blame_for_silence() in the owner shard of the peer NI.
void blame(Step& step, const Nid& nid) {
  if (nid.is_any()) return;
  const std::uint32_t shard = step.s.placement.of(nid);
  if (shard != step.s.index) return step.send_to_shard(shard, shard_msg::ResponseTimeout{nid});
  if (PeerNi* peer = step.s.peers.find_ni(nid)) blame_for_silence(step, *peer);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::RoundTrip& in) {
  PeerNi* peer = step.s.peers.find_ni(in.nid);
  if (peer == nullptr) return;
  peer->traffic.put_ack.add(in.put_ack);
  peer->traffic.get_rtt.add(in.get_rtt);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::ResponseTimeout& in) {
  if (PeerNi* peer = step.s.peers.find_ni(in.nid)) blame_for_silence(step, *peer);
}

}  // namespace ulnet::core
