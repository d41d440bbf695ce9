#include "core/flow/message_records.h"

#include <utility>

#include "base/canary.h"

namespace ulnet::core {

namespace {

/// Removes the entry of a peer NI with which no message was ever exchanged.
void forget_if_unmet(ShardState& s, PeerNi& peer) {
  if (peer.in_flight != 0 || peer.met || ULNET_CANARY(kEntryLeft)) return;
  if (peer.peer->only_a_target()) s.peers.erase(peer);
}

}  // namespace

Msg& make_message(Step& step) {
  auto [self, msg] = step.s.messages.make();
  ULNET_ASSERT(self.slot >> kTicketSlotBits == 0);
  msg->self = step.s.name(self);
  msg->started = step.now;
  GlobalStats& global = step.s.counters.global;
  global.msgs_max = std::max<std::uint64_t>(global.msgs_max, step.s.own_messages());
  return *msg;
}

void release_message(Step& step, Msg& msg) {
  leave_path(step, msg);
  step.s.messages.erase(step.s.handle(msg.self));
}

void leave_path(Step& step, Msg& msg) {
  if (PeerNi* peer = std::exchange(msg.peer, nullptr)) {
    --peer->in_flight;
    forget_if_unmet(step.s, *peer);
  }
  if (LocalNi* ni = std::exchange(msg.ni, nullptr)) {
    --ni->in_flight;
    end_drain_if_idle(step, *ni);
  }
}

void end_drain_if_idle(Step& step, LocalNi& ni) {
  if (ni.phase != NiPhase::kDraining || ni.in_flight != 0) return;
  ni.on(NiEvent::kIdle);
  step.out.emplace_back(std::in_place_type<Drained>, Drained{ni.config.id});
  step.s.nis.erase(ni);
}

std::int32_t peer_credits_for(const ShardState& s, const Nid& nid) {
  const LocalNet* net = s.nis.find(nid.net());
  return net == nullptr || nid.is_loopback() ? 0 : net->peer_credits;
}

PeerNi& peer_of(ShardState& s, const Nid& nid) {
  PeerNi* known = s.peers.find(nid);
  return known != nullptr ? *known : s.peers.use(nid, peer_credits_for(s, nid));
}

}  // namespace ulnet::core
