// Answers the API calls, one handle() for each, and refuses most of them after Shutdown. Source:
// spec/core-semantics.md 2.3, 2.4, 3, 4, 6.1, 6.2, 7.1, 15, spec/multirail.md 5.1.
#include "lnet/core/flow/calls.h"

#include <concepts>

#include "lnet/core/flow/attach.h"
#include "lnet/core/flow/discovery.h"
#include "lnet/core/flow/explain_path.h"
#include "lnet/core/flow/fault_calls.h"
#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/ni_health.h"
#include "lnet/core/flow/notify.h"
#include "lnet/core/flow/peer_add.h"
#include "lnet/core/flow/peer_del.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/flow/peer_identity.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/portal0.h"
#include "lnet/core/flow/portal_owner.h"
#include "lnet/core/flow/reconfigure.h"
#include "lnet/core/flow/show.h"
#include "lnet/core/flow/show_routing.h"
#include "lnet/core/flow/start_request.h"
#include "lnet/core/flow/unlink.h"

namespace ulnet::core {

namespace {

template <class Call, class... Calls>
concept OneOf = (std::same_as<Call, Calls> || ...);
/// The calls that a shard answers after Shutdown: those that end MDs, and those that show state. It
/// refuses all others.
template <class Call>
concept AnsweredAfterShutdown =
    OneOf<Call, call::MdUnlink, call::GetCounters, call::Show, call::NextPeers, call::NextPeerNis,
          call::NidsOfNoPeer, call::ShowRecovery, call::ShowRoutes, call::ShowRouting,
          call::FaultShow, call::Shutdown>;

/// Returns the MD of a put or get, if it belongs to a user, is bound and active, and has an
/// operation left (spec/core-semantics.md 6.1); else null.
Md* usable_md(Step& step, MdHandle handle) {
  Md* md = step.s.memory.find(handle);
  const bool usable = md != nullptr && md->owner == MdOwner::kUser && !md->passive &&
                      md->state == MdState::kActive && md->threshold != 0;
  return usable ? md : nullptr;
}

/// Refuses a request that every target would drop (no such portal), or that has no target.
Check check_target(Portal portal, const ProcessId& target) {
  if (!Portals::exists(portal)) return {-EINVAL, "portal out of range"};
  if (target.nid.is_any()) return {-EINVAL, "the target's NID is \"any\""};
  if (target.pid.is_any()) return {-EINVAL, "the target's PID is \"any\""};
  return {};
}

template <class Request>
Check begin(Step& step, const Request& request,
            void (*start)(Step&, Md&, const Request&, Instant)) {
  if (const Check check = check_target(request.portal, request.target); check.status != 0)
    return check;
  if (step.s.failures.hit(request.target.nid)) return {-EIO, "simulated failure"};
  Md* md = usable_md(step, request.md);
  if (md == nullptr) return {-ENOENT, "no such MD, or it is used up or attached"};
  start(step, *md, request, kNever);
  return {};
}

Check handle(Step& step, call::Put& call) { return begin(step, call.request, &start_put); }
Check handle(Step& step, call::Get& call) { return begin(step, call.request, &start_get); }

Check handle(Step& step, call::MeAttach& call) {
  if (call.portal == kReservedPortal) return {-EPERM, "portal 0 is LNet's own"};
  const bool at_head = call.position == InsertPosition::kBefore;
  return attach_me(step, call.portal, call.match_id, call.match, call.ignore, call.unlink, at_head,
                   call.claimed, call.me);
}
Check handle(Step& step, call::ClaimPortal& call) {
  return claim_portal(step, call.portal, portal_type_of(call.match_id, call.ignore), call.user);
}
Check handle(Step& step, call::MdAttach& call) {
  return attach_md(step, call.me, call.spec, call.unlink, MdOwner::kUser, call.md);
}
Check handle(Step& step, call::MdBind& call) {
  return bind_md(step, call.spec, call.unlink, MdOwner::kUser, call.md);
}
Check handle(Step& step, call::MdUnlink& call) {
  Md* md = step.s.memory.find(call.md);
  if (md == nullptr || md->owner != MdOwner::kUser || md->state == MdState::kAborted)
    return {-ENOENT, "no such MD"};
  abort_md(step, *md, 0);
  return {};
}

Check handle(Step& step, call::Ping& call) {
  if (call.request.target.nid.is_any()) return {-EINVAL, "the target's NID is missing"};
  if (step.s.failures.hit(call.request.target.nid)) return {-EIO, "simulated failure"};
  start_user_ping(step, call);
  return {};
}

Check handle(Step& step, call::Discover& call) { return start_discovery(step, call); }

Check handle(Step& step, call::SetLazy& call) {
  if (!Portals::exists(call.portal)) return {-EINVAL, "portal out of range"};
  step.s.portals.use(call.portal).lazy = true;
  return {};
}
Check handle(Step& step, call::ClearLazy& call) {
  if (!Portals::exists(call.portal)) return {-EINVAL, "portal out of range"};
  PortalState* portal = step.s.portals.find(call.portal);
  if (portal == nullptr || !portal->lazy) return {};
  portal->lazy = false;
  const std::size_t dropped = drop_held(step, *portal, nullptr, DropReason::kLazyCleared);
  if (dropped != 0)
    step.note(Note::Level::kWarning, "messages dropped from a portal that is not lazy any more: {}",
              {}, dropped);
  return {};
}

Check handle(Step& step, call::GetId& call) {
  const LocalNi* ni = nth_identity(step.s.nis, call.index, call.large_ok);
  if (ni == nullptr) return {-ENOENT, "no more identities"};
  call.id = {ni->nid(), step.config().pid};
  return {};
}
Check handle(Step& step, call::Dist& call) {
  const auto found = distance(step.s.nis, *step.config().routes, call.target,
                              step.config().globals.local_nid_dist_zero);
  if (!found) return {found.error().code, "no route"};
  call.distance = *found;
  return {};
}
Check handle(Step& step, call::IsPeerLocal& call) {
  call.local = step.s.nis.find(call.nid.net()) != nullptr;
  return {};
}
Check handle(Step& step, call::HasLocalNet& call) {
  call.present = step.s.nis.find(call.net) != nullptr;
  return {};
}
Check handle(Step& step, call::LocalPrimaryNid& call) {
  for (const LocalNi* ni : step.s.nis.configured()) {
    if (ni->loopback() || !ni->up()) continue;
    call.nid = ni->nid();
    return {};
  }
  return {-ENOENT, "no usable NI"};
}
Check handle(Step& step, call::PrimaryNid& call) { return primary_nid(step, call); }
Check handle(Step& step, call::PeerDiscovered& call) { return peer_discovered(step, call); }
Check handle(Step& step, call::FetchNids& call) {
  for (const LocalNi* ni : step.s.nis.configured()) call.nids.push_back({ni->nid(), ni->up()});
  return {};
}
Check handle(Step& step, call::PeerDiscoveryStatus& call) {
  call.on = step.config().globals.discovery != 0;
  return {};
}

Check handle(Step& step, call::GetCounters& call) {
  call.statistics = statistics_of(step.s);
  return {};
}
Check handle(Step& step, call::Show& call) {
  show(step, call);
  return {};
}
Check handle(Step& step, call::NextPeers& call) {
  next_peers(step, call);
  return {};
}
Check handle(Step& step, call::NextPeerNis& call) {
  next_peer_nis(step, call);
  return {};
}
Check handle(Step& step, call::NidsOfNoPeer& call) {
  std::erase_if(call.nids, [&](const Nid& nid) { return step.s.directory.find(nid) != nullptr; });
  return {};
}
Check handle(Step& step, call::ResetStats&) {
  reset_stats(step.s);
  return {};
}
Check handle(Step& step, call::ResetMinima& call) {
  reset_minima(step.s, call.nis, call.peers);
  return {};
}

Check handle(Step& step, call::Fail& call) {
  if (call.threshold < -1) return {-EINVAL, "a number of messages, or -1 for all"};
  step.s.failures.set(call.nid, call.threshold);
  return {};
}
Check handle(Step& step, call::SetNiHealth& call) {
  if (call.value < 0 || call.value > kHealthMax) return {-EINVAL, "health is 0 to 1000"};
  bool found = false;
  for (LocalNi* ni : step.s.nis.configured()) {
    if (ni->loopback() || (!call.nid.is_any() && ni->nid() != call.nid)) continue;
    found = true;
    set_ni_health(step, *ni, call.value);
  }
  return found ? Check{} : Check{-ENOENT, "no such NI"};
}
/// A NID has a health before its first message if it belongs to a peer that all shards know.
Check set_health_of(Step& step, const Nid& nid, std::int32_t value) {
  if (value < 0 || value > kHealthMax) return {-EINVAL, "health is 0 to 1000"};
  PeerNid* known = step.s.peers.find(nid);
  const bool exists = known != nullptr && (known->ni != nullptr || known->peer_entry != nullptr);
  if (!exists) return {-ENOENT, "no such peer"};
  set_peer_health(step, step.s.peers.use_ni(*known, peer_credits_for(step.s, nid)), value);
  return {};
}
Check handle(Step& step, call::SetPeerNiHealth& call) {
  return set_health_of(step, call.nid, call.value);
}
Check handle(Step& step, call::SetPeersHealth& call) {
  if (call.value < 0 || call.value > kHealthMax) return {-EINVAL, "health is 0 to 1000"};
  std::vector<Nid> here;
  step.s.peers.for_each([&](const PeerNid& known) {
    if (!known.nid.is_loopback() && step.s.placement.of(known.nid) == step.s.index)
      here.push_back(known.nid);
  });
  for (const Nid& nid : here) (void)set_health_of(step, nid, call.value);
  return {};
}
Check handle(Step& step, call::PeerAdd& call) { return add_peer(step, call); }
Check handle(Step& step, call::DeclarePeer& call) { return declare_peer(step, call); }
Check handle(Step& step, call::SetPeerState& call) { return set_peer_state(step, call); }
Check handle(Step& step, call::PeerDel& call) { return delete_peer(step, call); }
Check handle(Step& step, call::FaultAdd& call) { return add_fault(step, call); }
Check handle(Step& step, call::FaultDel& call) { return delete_faults(step, call); }
Check handle(Step& step, call::FaultReset& call) {
  step.s.fault_rules.reset(call.kind);
  return {};
}
Check handle(Step& step, call::FaultShow& call) {
  call.rows = step.s.fault_rules.rows();
  return {};
}
Check handle(Step& step, call::ExplainPath& call) { return explain_path(step, call); }
Check handle(Step& step, call::ShowRecovery& call) {
  show_recovery(step, call);
  return {};
}
Check handle(Step& step, call::ShowRoutes& call) {
  show_routes(step, call);
  return {};
}
Check handle(Step& step, call::ShowRouting& call) {
  show_routing(step, call);
  return {};
}
Check handle(Step& step, call::NotifyPeer& call) { return notify_peer(step, call); }
Check handle(Step& step, call::Shutdown&) {
  shut_down(step);
  return {};
}

}  // namespace

void answer_call(Step& step, ApiCall& call) {
  const Check check = std::visit(
      [&]<class Call>(Call& body) {
        if (!AnsweredAfterShutdown<Call> && step.s.shut_down)
          return Check{-ESHUTDOWN, "shutting down"};
        return handle(step, body);
      },
      call.body);
  call.status = check.status;
  call.reason = check.reason;
}

}  // namespace ulnet::core
