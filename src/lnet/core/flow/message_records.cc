// Makes and removes the records of messages. Together with a record it forgets a peer NI that is no
// longer needed, and an NI that has drained. Source: spec/core-semantics.md 9, 10.2, 18.15.
#include "lnet/core/flow/message_records.h"

#include <utility>

#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/peers.h"

namespace ulnet::core {

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
  forget_recovery(step.s, ni);
  step.s.nis.erase(ni);
}

[[gnu::noinline]] void make_ready(Step& step, Msg& msg) {
  (msg.state == MsgState::kPeerQueue ? msg.has_peer_credit : msg.has_ni_credit) = true;
  msg.on(MsgEvent::kCredit);
  step.s.ready.push_back(msg);
}

}  // namespace ulnet::core
