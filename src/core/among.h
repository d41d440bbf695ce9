// An API call among the shards of a node: which of them answers it, and how the answers of several
// become one. For hosts of shards. Source: DESIGN.md 3, spec/core-semantics.md 3, 7, 13.2.
#pragma once

#include <optional>
#include <type_traits>

#include "core/api.h"
#include "core/cookie.h"
#include "core/placement.h"

namespace ulnet::core {

/// The MD that an operation begins with: its shard answers alone. Null: another call.
inline const MdHandle* md_of(const ApiCall& call) {
  if (const auto* put = std::get_if<call::Put>(&call.body)) return &put->request.md;
  if (const auto* get = std::get_if<call::Get>(&call.body)) return &get->request.md;
  return nullptr;
}
/// The shard that answers alone; nothing: every shard does, and merge() makes one answer of theirs.
/// `caller`: the shard of the CPU that the caller runs on. For a cookie that nobody made: any.
std::optional<std::uint32_t> shard_of(const Placement& placement, const ApiCall& call,
                                      std::uint32_t caller);
/// Adds the answer of `shard` to that of earlier shards, in the order of shards.
void merge(const Placement& placement, ApiCall& into, ApiCall&& from, std::uint32_t shard);

/// `enter(shard, call)` steps that shard with Api{&call}. Shards are entered one after the other.
template <class Enter>
void call_among(const Placement& placement, std::uint32_t caller, ApiCall& call, Enter&& enter) {
  if (placement.shards() == 1) return enter(0U, call);
  if (const auto shard = shard_of(placement, call, caller)) {
    enter(*shard, call);
    auto* attach = std::get_if<call::MeAttach>(&call.body);
    if (attach == nullptr || call.status != -EAGAIN) return;
    ApiCall claim{call::ClaimPortal{attach->portal, attach->match_id, attach->ignore, *shard}};
    enter(placement.home_of(attach->portal), claim);
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
