// Configuration and the state of the world: snapshots, NIs that come, go or fail, peers that come
// and go. Source: spec/core-semantics.md 7.1, 10.1, 18.15, spec/multirail.md 2.1, 8.
#include "core/custody.h"
#include "core/outbound.h"
#include "core/parts.h"

namespace ulnet::core {

namespace {

void wake(Step& step, Gate& gate) {
  while (Msg* msg = gate.wake()) make_ready(step, msg);
}

/// Peer credits follow the nets' (10.2).
void resize_peer_credits(Step& step, const std::vector<NetId>& nets) {
  if (nets.empty()) return;
  step.s.peers.for_each([&](Peer& peer) {
    for (PeerNi* ni : peer.nis) {
      if (std::find(nets.begin(), nets.end(), ni->nid.net()) == nets.end()) continue;
      ni->tx.resize(peer_credits_for(step.s, ni->nid));
      wake(step, ni->tx);
    }
  });
}

/// What waits for credits to be sent from NIs that go.
void fail_waiting(Step& step) {
  std::vector<MsgTicket> waiting;
  step.s.messages.for_each([&](MsgTicket self, const Msg& msg) {
    if (waits_for_credit(msg) && msg.ni->phase == NiPhase::kDraining) waiting.push_back(self);
  });
  // All leave their queues before a credit comes back, so that none of them is woken.
  for (const MsgTicket self : waiting) leave_queue(*step.s.messages.find(self));
  for (const MsgTicket self : waiting)
    end_send(step, *step.s.messages.find(self), -ESHUTDOWN, Health::kOk);
}

/// What came in on an NI that goes and is for another shard to decide.
void give_up_elsewhere(Step& step, const LocalNi& ni, DropReason reason) {
  if (step.s.placement.shards() == 1) return;
  step.s.messages.for_each([&](Handle, Msg& msg) {
    const bool elsewhere =
        msg.state == MsgState::kAsking || (msg.state == MsgState::kHeld && msg.far.msg);
    if (elsewhere && !msg.custody && msg.ni == &ni) give_up(step, msg, reason);
  });
}

void drain(Step& step, const std::vector<LocalNi*>& removed, DropReason reason) {
  if (removed.empty()) return;
  std::vector<NiId> ids;
  for (const LocalNi* ni : removed) ids.push_back(ni->config.id);
  fail_waiting(step);
  for (const NiId id : ids) {
    LocalNi* ni = step.s.nis.find(id);
    if (ni == nullptr) continue;  // drained already
    ++ni->in_flight;              // it stays while its messages are dropped
    step.s.portals.for_each([&](PortalState& portal) { drop_held(step, portal, ni, reason); });
    give_up_elsewhere(step, *ni, reason);
    --ni->in_flight;
    settle_ni(step, *ni);
  }
}

}  // namespace

void reconfigure(Step& step, const std::shared_ptr<const NodeConfig>& snapshot) {
  ULNET_ASSERT(snapshot != nullptr);
  ShardState& s = step.s;
  if (!s.shut_down) {
    s.config = snapshot;
    s.placement = Placement(*snapshot);
    const NiTable::Changes changes = s.nis.apply(*snapshot);
    for (LocalNi* ni : changes.resized) wake(step, ni->tx);
    resize_peer_credits(step, changes.nets);
    drain(step, changes.removed, DropReason::kNiRemoved);
    s.own.stale = true;
  }
  step.out.emplace_back(std::in_place_type<Applied>, Applied{snapshot->generation});
}

void ni_state_changed(Step& step, const NiState& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return;
  ni->fatal = in.link == NiLink::kFailed;
  step.s.own.stale = true;
}

void peer_down(Step& step, const PeerDown& in) {
  if (!in.reset) return;
  if (step.s.index != kControlShard) step.tell(kControlShard, letter::Reborn{in.hop.nid});
  PeerNi* ni = step.s.peers.find(in.hop.nid);
  if (ni == nullptr) return;
  // Another life: it knows nothing of us.
  ni->health = kHealthMax;
  ni->peer->acked_sequence = 0;
}

void shut_down(Step& step) {
  if (step.s.shut_down) return;
  step.s.shut_down = true;
  stop_own(step);
  NodeConfig empty = *step.s.config;
  empty.nis.clear();
  const NiTable::Changes changes = step.s.nis.apply(empty);
  drain(step, changes.removed, DropReason::kShutdown);
}

}  // namespace ulnet::core
