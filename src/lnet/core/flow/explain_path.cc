// Runs the path selection for `ulnetctl debug path` without sending anything, and fills in which
// path was chosen and why. Source: spec/multirail.md 3.
#include "lnet/core/flow/explain_path.h"

#include "lnet/core/flow/peers.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

namespace {

/// Whether a user's request to `to` waits until the peer is discovered (spec/multirail.md 3.5).
bool waits_for_discovery(const ShardState& s, const Nid& to, const PeerNid* target) {
  const bool discovered = target != nullptr && target->discovered;
  return !discovered && s.nis.find(to) == nullptr;
}

/// The choice that the owner shard of the hop makes for a peer that always sees the same NI (3.4).
Choice owner_choice(const ShardState& s, const PeerNid* target, const call::ExplainPath& call,
                    std::int32_t memory_cpt, Explanation& why) {
  const PeerNi* ni = target == nullptr ? nullptr : target->ni;
  const bool unseen = ni == nullptr;
  const NiId fixed = unseen ? NiId{} : ni->fixed_source;
  return pick_source(s.nis, *s.config->udsp, call.to, fixed, memory_cpt, &why);
}

}  // namespace

Check explain_path(Step& step, call::ExplainPath& call) {
  ShardState& s = step.s;
  if (call.to.is_any()) return {-EINVAL, "the target's NID is \"any\""};
  const std::int32_t memory_cpt = call.cpt ? static_cast<std::int32_t>(s.index) : -1;
  PeerNid* target = s.peers.find(call.to);
  // The control shard has the shared peer entry. Another shard would ask for it before it sends the
  // message.
  if (target == nullptr && s.index == kControlShard &&
      s.directory.peer_entry_of(call.to) != nullptr)
    target = &know(step, call.to);
  call.shard = s.index;
  call.known = target != nullptr;
  call.multi_rail = target != nullptr && target->multi_rail();
  call.waits = waits_for_discovery(s, call.to, target);
  SendIntent intent{call.to, Pid::lustre(), call.from, target, nullptr, false, memory_cpt};
  if (call.multi_rail && call.from.is_any()) intent.rails = &s.peers.rails_of(*target, *s.config);
  const RouteView routes{s.routes, s.peers, *s.config};
  if (!s.routes.empty()) intent.routes = &routes;
  Choice choice = select(s.nis, intent, &call.why);
  if (choice.route != nullptr)
    call.why.way = "its net is behind routers: the best route that is up";
  call.path_status = choice.status;
  call.path_reason = choice.reason;
  if (choice.status != 0) return {};
  const Nid hop = choice.hop.nid;
  if (choice.ni == nullptr && s.placement.of(hop) == s.index)
    choice = owner_choice(s, target, call, memory_cpt, call.why);
  call.hop = hop;
  if (choice.ni != nullptr) call.source = choice.ni->nid();
  return {};
}

}  // namespace ulnet::core
