// Attaches MEs and MDs, binds MDs, and decides the type of a portal (unique or wildcard). Source:
// spec/core-semantics.md 3, 4.3, 4.4.
#include "lnet/core/flow/attach.h"

#include "lnet/core/contract/cookie.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/portal_owner.h"

namespace ulnet::core {

namespace {

/// Runs check_md(), and checks that the partition of the memory exists.
Check check_spec(const Step& step, const MdSpec& spec, bool passive) {
  if (spec.cpt < -1 ||
      (spec.cpt >= 0 && static_cast<std::uint32_t>(spec.cpt) >= step.config().shards))
    return {-ERANGE, "invalid CPT value"};
  return check_md(spec, passive);
}

Me* find_me(ShardState& s, MeHandle handle) {
  const auto self = read_cookie(CookieKind::kMe, s.index, handle.cookie);
  return self ? s.mes.find(*self) : nullptr;
}

void announce(Step& step, const Md& md) {
  if (step.config().announces_memory)
    step.act<AttachMemory>(md.handle, md.fragments, md.fragment_count);
}

}  // namespace

Check claim_portal(Step& step, Portal portal, PortalType type, std::uint32_t user) {
  if (!Portals::exists(portal)) return {-EINVAL, "portal out of range"};
  PortalState& state = step.s.portals.use(portal);
  if (state.type != PortalType::kUnused && state.type != type)
    return {-EPERM, "the portal already has entries of the other kind"};
  state.type = type;
  state.users.insert(user);
  state.active.insert(user);
  return {};
}

Check attach_me(Step& step, Portal portal, const ProcessId& match_id, MatchBits match,
                MatchBits ignore, UnlinkMode unlink, bool at_head, bool claimed, MeHandle& handle) {
  if (!Portals::exists(portal)) return {-EINVAL, "portal out of range"};
  ShardState& s = step.s;
  PortalState& state = s.portals.use(portal);
  const PortalType type = portal_type_of(match_id, ignore);
  if (s.placement.owner_of(portal) == s.index) {
    if (const Check check = claim_portal(step, portal, type, s.index); check.status != 0)
      return check;
  } else if (state.type == PortalType::kUnused && !claimed) {
    return {-EAGAIN, "the owner shard has not been asked yet"};
  } else if (state.type != PortalType::kUnused && state.type != type) {
    return {-EPERM, "the portal already has entries of the other kind"};
  }
  if (s.mes.size() == kCookieSlots) return {-ENOMEM, "too many match entries"};
  auto [self, me] = s.mes.make();
  if (self.slot >= kCookieSlots) {
    s.mes.erase(self);
    return {-ENOMEM, "too many match entries"};
  }
  state.type = type;
  me->self = self;
  me->portal = portal;
  me->match_id = match_id;
  me->match = match;
  me->ignore = ignore;
  me->unlink = unlink;
  state.entries.insert(*me, at_head, state.unique());
  handle = {make_cookie(CookieKind::kMe, s.index, self)};
  return {};
}

Check attach_md(Step& step, MeHandle me_handle, const MdSpec& spec, UnlinkMode unlink,
                MdOwner owner, MdHandle& handle) {
  ShardState& s = step.s;
  Me* me = find_me(s, me_handle);
  if (me == nullptr) return {-ENOENT, "no such match entry"};
  if (me->md != nullptr) return {-EBUSY, "the match entry has an MD already"};
  Check check = check_spec(step, spec, true);
  Md* md = check.status == 0 ? s.memory.make(spec, unlink, true) : nullptr;
  if (md == nullptr) {
    remove_me(s, *me);
    return check.status != 0 ? check : Check{-ENOMEM, "too many MDs"};
  }
  md->owner = owner;
  md->me = me;
  me->md = md;
  handle = md->handle;
  announce(step, *md);
  offer_held(step, *me);
  return {};
}

Check bind_md(Step& step, const MdSpec& spec, UnlinkMode unlink, MdOwner owner, MdHandle& handle) {
  if (const Check check = check_spec(step, spec, false); check.status != 0) return check;
  Md* md = step.s.memory.make(spec, unlink, false);
  if (md == nullptr) return {-ENOMEM, "too many MDs"};
  md->owner = owner;
  handle = md->handle;
  announce(step, *md);
  return {};
}

}  // namespace ulnet::core
