// Checks each call that configures or declares a peer as a whole, then changes the directory in one
// step. Source: spec/multirail.md 1.1, 2.2, spec/core-semantics.md 15, decision 93.
#include "lnet/core/flow/peer_add.h"

#include <algorithm>

#include "lnet/core/flow/discovery.h"
#include "lnet/core/flow/peer_entries.h"
#include "lnet/core/path/peer_claim.h"

namespace ulnet::core {

namespace {

/// The number of NIDs that one `peer add` may name (spec/multirail.md 2.2).
constexpr std::size_t kNidsMax = 128;
/// All peer state bits (spec/multirail.md 1.1).
constexpr std::uint32_t kStateBits = (kPeerBadConfig << 1) - 1;

constexpr Check kOfAnotherPeer{-EEXIST, "a NID of another peer that is configured"};

Check judge_nid(const Step& step, const Nid& nid) {
  if (nid.is_any() || nid.is_loopback()) return {-EINVAL, "not a NID of a peer"};
  if (step.s.nis.find(nid) != nullptr) return {-EINVAL, "a NID of this node"};
  return {};
}

/// Whether these NIDs can belong to a peer besides its primary NID.
Check judge_nids(const Step& step, const Peer& taker, std::span<const Nid> nids) {
  for (const Nid& nid : nids) {
    if (nid == taker.primary) continue;
    if (const Check check = judge_nid(step, nid); check.status != 0) return check;
    const Peer* owner = step.s.directory.find(nid);
    if (claim(taker, owner, nid, ClaimBy::kConfiguration) == NidClaim::kStays)
      return kOfAnotherPeer;
  }
  return {};
}

/// Refuses a second NID on a net for a peer without multi-rail, which is reached by one NID on each
/// net.
Check judge_nets(const Peer& taker, std::span<const Nid> nids) {
  std::vector<Nid> all(taker.nids().begin(), taker.nids().end());
  for (const Nid& nid : nids) {
    if (std::ranges::find(all, nid) != all.end()) continue;
    const auto there = [&](const Nid& other) { return other.net() == nid.net(); };
    if (std::ranges::any_of(all, there))
      return {-ENOTUNIQ, "a second NID on a net, for a peer that is not multi-rail"};
    all.push_back(nid);
  }
  return {};
}

/// Whether the primary NID of the call can be configured. `peer`: the peer that has this NID; null:
/// no peer has it.
Check judge_primary(const call::PeerAdd& call, const Peer* peer) {
  const bool configured = peer != nullptr && peer->has(kPeerConfigured);
  if (call.only_add && !configured) return {-ENOENT, "no such peer was configured"};
  if (peer == nullptr) return {};
  const bool primary = peer->primary == call.primary;
  if (!configured && !peer->has(kPeerLockPrimary)) return {};
  if (!configured && primary) return {-EEXIST, "the primary NID of a locked peer"};
  if (!configured) return {-EALREADY, "a NID of a locked peer"};
  if (!primary && call.only_add) return {-ENODEV, "not the primary NID of its peer"};
  if (!primary) return {-EEXIST, "a NID of a configured peer, and not its primary NID"};
  if (peer->has(kPeerMultiRail) != call.multi_rail)
    return {-EPERM, "the peer is configured otherwise: multi-rail or not"};
  return {};
}

void carry_out(Step& step, const Directory::Wanted& wanted) {
  const Directory::Changes changes = step.s.directory.configure(wanted);
  publish(step, changes);
  ask_again(step, changes.askers);
}

}  // namespace

Check add_peer(Step& step, const call::PeerAdd& call) {
  const Directory& directory = step.s.directory;
  if (call.primary.is_any()) return {-EINVAL, "the primary NID of the peer is missing"};
  if (call.primary.is_loopback()) return {};  // as in Lustre
  if (call.nids.size() > kNidsMax) return {-E2BIG, "more than 128 NIDs"};
  const Peer* peer = directory.find(call.primary);
  if (const Check check = judge_primary(call, peer); check.status != 0) return check;
  Peer fresh;
  fresh.primary = call.primary;
  const Peer& taker = peer != nullptr && peer->has(kPeerConfigured) ? *peer : fresh;
  if (const Check check = judge_nids(step, taker, call.nids); check.status != 0) return check;
  if (!call.multi_rail)
    if (const Check check = judge_nets(taker, call.nids); check.status != 0) return check;
  carry_out(step, {call.primary, call.nids, call.multi_rail, true, call.lock_primary});
  return {};
}

Check declare_peer(Step& step, const call::DeclarePeer& call) {
  if (call.nids.empty()) return {-EINVAL, "a peer without NIDs"};
  if (call.nids.size() > static_cast<std::size_t>(step.config().globals.max_interfaces))
    return {-E2BIG, "more NIDs than a peer may have"};
  const Nid& primary = call.nids.front();
  const Peer* peer = step.s.directory.find(primary);
  if (peer != nullptr && peer->has(kPeerConfigured)) {
    const auto its = [&](const Nid& nid) { return step.s.directory.find(nid) == peer; };
    return std::ranges::all_of(call.nids, its) ? Check{} : kOfAnotherPeer;
  }
  if (peer != nullptr && peer->has(kPeerLockPrimary) && peer->primary != primary)
    return {-EALREADY, "a NID of a locked peer"};
  if (const Check check = judge_nid(step, primary); check.status != 0) return check;
  Peer fresh;
  fresh.primary = primary;
  const Peer& taker = peer == nullptr ? fresh : *peer;
  const std::vector<Nid> others(call.nids.begin() + 1, call.nids.end());
  if (const Check check = judge_nids(step, taker, others); check.status != 0) return check;
  carry_out(step, {primary, others, true, false, step.config().globals.lock_prim_nid});
  return {};
}

Check set_peer_state(Step& step, const call::SetPeerState& call) {
  if ((call.state & ~kStateBits) != 0) return {-EINVAL, "no such state of a peer"};
  Peer* peer = step.s.directory.find(call.nid);
  if (peer == nullptr) return {-ENOENT, "no such peer"};
  publish(step, step.s.directory.set_state(*peer, call.state));
  return {};
}

}  // namespace ulnet::core
