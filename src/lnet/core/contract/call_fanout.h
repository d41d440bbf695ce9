// An API call on a node of several shards: which shard answers it, or how the answers of all shards
// are merged. For the hosts of shards (node, simulator, tests). Source: DESIGN.md 3,
// spec/core-semantics.md 3, 7, 13.2.
#pragma once

#include <optional>

#include "lnet/core/contract/api.h"
#include "lnet/core/contract/cookie.h"
#include "lnet/core/contract/placement.h"

namespace ulnet::core {

/// The MD that `call`, a put or get, names; the MD's shard answers the call. Null: another call.
inline const MdHandle* md_of(const ApiCall& call) {
  if (const auto* put = std::get_if<call::Put>(&call.body)) return &put->request.md;
  if (const auto* get = std::get_if<call::Get>(&call.body)) return &get->request.md;
  return nullptr;
}
/// Returns the one shard that answers a call. Nothing: every shard answers, and merge() merges the
/// answers. `caller`: the shard of the CPU on which the caller runs. The caller's shard also
/// answers, with an error, a call with a cookie or a portal that does not exist.
std::optional<std::uint32_t> shard_of(const Placement& placement, const ApiCall& call,
                                      std::uint32_t caller);
/// Merges the answer of `shard` into `into`, which has the answers of the shards with smaller
/// numbers.
void merge(const Placement& placement, ApiCall& into, ApiCall&& from, std::uint32_t shard);

/// Has the right shards answer `call`; afterwards `call` has the results. `enter(shard, call)`
/// steps that shard with Api{&call}; call_among() enters one shard after the other. A MeAttach that
/// its shard answers with -EAGAIN is done in three steps: the shard, ClaimPortal at the portal's
/// owner shard, the shard again. A PeerDel on which all shards agree goes to the control shard once
/// more, which deletes.
template <class Enter>
void call_among(const Placement& placement, std::uint32_t caller, ApiCall& call, Enter&& enter) {
  if (placement.shards() == 1) return enter(0U, call);
  if (auto* ping = std::get_if<call::Ping>(&call.body)) ping->caller = caller;
  if (auto* discover = std::get_if<call::Discover>(&call.body)) discover->caller = caller;
  if (const auto shard = shard_of(placement, call, caller)) {
    enter(*shard, call);
    auto* attach = std::get_if<call::MeAttach>(&call.body);
    if (attach == nullptr || call.status != -EAGAIN) return;
    ApiCall claim{call::ClaimPortal{attach->portal, attach->match_id, attach->ignore, *shard}};
    enter(placement.owner_of(attach->portal), claim);
    call.status = claim.status;
    call.reason = claim.reason;
    attach->claimed = true;
    if (claim.status == 0) enter(*shard, call);
    return;
  }
  const ApiCall question = call;
  enter(0U, call);
  for (std::uint32_t shard = 1; shard < placement.shards(); ++shard) {
    ApiCall answer = question;
    enter(shard, answer);
    merge(placement, call, std::move(answer), shard);
  }
  auto* del = std::get_if<call::PeerDel>(&call.body);
  if (del == nullptr || call.status != 0) return;
  del->decided = true;
  enter(kControlShard, call);
}

}  // namespace ulnet::core
