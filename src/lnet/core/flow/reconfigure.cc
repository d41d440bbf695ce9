// Applies a new configuration, NI states from drivers and shutdown. Ends the messages that wait on
// removed NIs. Source: spec/core-semantics.md 7.1, 10.2, 18.15, spec/multirail.md 2.1, 3.4, 8.
#include "lnet/core/flow/reconfigure.h"

#include "lnet/core/flow/failed_ni.h"
#include "lnet/core/flow/fault_calls.h"
#include "lnet/core/flow/forward.h"
#include "lnet/core/flow/idle_peers.h"
#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/ni_health.h"
#include "lnet/core/flow/notify.h"
#include "lnet/core/flow/peer_del.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/portal0.h"
#include "lnet/core/flow/portal_owner.h"
#include "lnet/core/flow/routing.h"
#include "lnet/core/flow/transmission.h"
#include "lnet/core/flow/unlink.h"
#include "lnet/core/flow/waiting_for_path.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

namespace {

void wake(Step& step, Gate& gate) {
  while (Msg* msg = gate.wake()) make_ready(step, *msg);
}

/// Gives the peer NIs on these nets the nets' new peer credits (spec/core-semantics.md 10.2).
void resize_peer_credits(Step& step, const std::vector<NetId>& nets) {
  if (nets.empty()) return;
  step.s.peers.for_each_ni([&](PeerNi& ni) {
    if (std::find(nets.begin(), nets.end(), ni.nid.net()) == nets.end()) return;
    ni.tx.resize(peer_credits_for(step.s, ni.nid));
    step.s.peers.changed(*ni.known);
    wake(step, ni.tx);
  });
}

/// Ends the messages that wait for credits on NIs that drain.
void fail_waiting(Step& step) {
  std::vector<MsgTicket> waiting;
  step.s.messages.for_each([&](MsgTicket self, const Msg& msg) {
    if (waits_for_credit(msg) && msg.ni->phase == NiPhase::kDraining) waiting.push_back(self);
  });
  // First all of them leave their queues, because a message that ends could give its credit to
  // another one of them.
  for (const MsgTicket self : waiting) leave_queue(step, *step.s.messages.find(self));
  for (const MsgTicket self : waiting)
    end_transmission(step, *step.s.messages.find(self), -ESHUTDOWN, Health::kOk);
}

/// Drops the messages that came in on `ni` and wait for another shard.
void give_up_elsewhere(Step& step, const LocalNi& ni, DropReason reason) {
  if (step.s.placement.shards() == 1) return;
  step.s.messages.for_each([&](Handle, Msg& msg) {
    const bool elsewhere =
        msg.state == MsgState::kAsking || (msg.state == MsgState::kHeld && msg.remote.msg);
    if (elsewhere && !msg.parked && msg.ni == &ni) give_up(step, msg, reason);
  });
}

/// This shard has a newer configuration, or is shut down: goes on with the messages that waited for
/// it.
void resume_after_config(Step& step) {
  for (const ShardMsg& shard_msg : std::exchange(step.s.early, {})) {
    if (const auto* transmit = std::get_if<shard_msg::Transmit>(&shard_msg.body))
      on_shard_msg(step, shard_of(transmit->msg), *transmit);
    else if (const auto* recall = std::get_if<shard_msg::Recall>(&shard_msg.body))
      on_shard_msg(step, shard_of(recall->msg), *recall);
    else
      on_shard_msg(step, 0, std::get<shard_msg::Abort>(shard_msg.body));
  }
  go_on_with_config(step);
}

void drain(Step& step, const std::vector<LocalNi*>& removed, DropReason reason) {
  if (removed.empty()) return;
  std::vector<NiId> ids;
  for (const LocalNi* ni : removed) ids.push_back(ni->config.id);
  fail_waiting(step);
  for (const NiId id : ids) {
    LocalNi* ni = step.s.nis.find(id);
    if (ni == nullptr) continue;  // fail_waiting() has ended its last message
    ++ni->in_flight;              // keeps the NI until all its held messages are dropped
    step.s.portals.for_each([&](PortalState& portal) { drop_held(step, portal, ni, reason); });
    give_up_elsewhere(step, *ni, reason);
    drop_waiting_forwards(step, ni, reason);
    end_delayed(step, *ni, reason);
    --ni->in_flight;
    end_drain_if_idle(step, *ni);
  }
}

/// Lets a new policy that prefers other NIs of this node for a peer without multi-rail apply from
/// now on (multirail.md 3.4).
void obey_preferences(ShardState& s) {
  const auto& rules = s.config->udsp->entries();
  const bool pairs = std::any_of(rules.begin(), rules.end(), [](const udsp::RuleList::Entry& each) {
    return each.rule.src && each.rule.dst;
  });
  if (!pairs) return;
  s.peers.for_each_ni([&](PeerNi& ni) {
    if (is_superseded(s.nis, *s.config->udsp, ni.nid, ni.fixed_source)) ni.fixed_source = {};
  });
}

/// Reports Drained for new NIs: this shard was shut down before it learned of them, so no message
/// of it will name them.
void end_new_nis(Step& step, const NodeConfig& old) {
  for (const NiConfig& ni : step.s.config->nis)
    if (std::ranges::find(old.nis, ni.id, &NiConfig::id) == old.nis.end())
      step.out.emplace_back(std::in_place_type<Drained>, Drained{ni.id});
}

}  // namespace

void reconfigure(Step& step, const std::shared_ptr<const NodeConfig>& snapshot) {
  ULNET_ASSERT(snapshot != nullptr);
  ShardState& s = step.s;
  if (!s.shut_down) {
    const std::shared_ptr<const NodeConfig> old = std::exchange(s.config, snapshot);
    const Placement before = std::exchange(s.placement, Placement(*snapshot));
    if (before != s.placement) {
      forget_moved(s);
      s.round_trips.clear();
    }
    const NiTable::Changes changes = s.nis.apply(*snapshot);
    s.peers.drop_all_rails();
    if (old == nullptr || old->udsp != snapshot->udsp || !changes.added.empty())
      obey_preferences(s);
    for (LocalNi* ni : changes.resized) wake(step, ni->tx);
    resize_peer_credits(step, changes.nets);
    configure_routing(step);
    drain(step, changes.removed, DropReason::kNiRemoved);
    agree_on_new_nis(step, changes.added);
    resume_after_config(step);
    if (s.index == kControlShard && old != nullptr) leave_nets(step, *old);
    if (s.index == kControlShard) watch_for_idle_peers(step);
    s.portal0.stale = true;
  } else {
    end_new_nis(step, *std::exchange(s.config, snapshot));
  }
  step.out.emplace_back(std::in_place_type<Applied>, Applied{snapshot->generation});
}

void ni_state_changed(Step& step, const NiState& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return;
  const bool was_fatal = std::exchange(ni->fatal, in.link == NiLink::kFailed);
  ni->on(in.link == NiLink::kFailed ? NiLifeEvent::kLinkFailed
         : in.link == NiLink::kSlow ? NiLifeEvent::kLinkSlow
                                    : NiLifeEvent::kLinkWell);
  if (ni->net != nullptr) ni->net->look_at_links();
  step.s.portal0.stale = true;
  if (ni->fatal) leave_failed_ni(step, *ni);
  // Earlier failures by the NI say nothing about its present state.
  const bool is_back = was_fatal && !ni->fatal;
  if (is_back && step.s.index == kControlShard && ni->health != kHealthMax)
    set_ni_health(step, *ni, kHealthMax);
}

void peer_down(Step& step, const PeerDown& in) {
  peer_lost(step, in.ni, in.hop.nid);
  if (!in.reset) return;
  step.send_to_shard(kControlShard, shard_msg::PeerRestarted{in.hop.nid});
  if (PeerNi* ni = step.s.peers.find_ni(in.hop.nid)) set_peer_health(step, *ni, kHealthMax);
}

void shut_down(Step& step) {
  if (step.s.shut_down) return;
  step.s.shut_down = true;
  step.s.fault_rules.clear();
  step.s.sweep.cancel();
  stop_portal0(step);
  NodeConfig empty = *step.s.config;
  empty.nis.clear();
  const NiTable::Changes changes = step.s.nis.apply(empty);
  drain(step, changes.removed, DropReason::kShutdown);
  resume_after_config(step);
  go_on_without_discovery(step);
}

}  // namespace ulnet::core
