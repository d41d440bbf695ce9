// Deletes a peer, or some of its NIDs. First each shard says whether it can. Then the control
// shard, which decides which NIDs form a peer, deletes it and tells the other shards by Forget.
// Forget comes after every Publish that the control shard has written about the peer before.
// Source: spec/multirail.md 2.2.
#include "core/flow/peer_del.h"

#include <algorithm>
#include <span>
namespace ulnet::core {

namespace {

bool names(const std::vector<Nid>& nids, const Nid& nid) {
  return std::find(nids.begin(), nids.end(), nid) != nids.end();
}

/// The NIDs to delete, as far as this shard knows the peer: those of the call, or all of the peer
/// if the call names none or the primary NID.
std::vector<Nid> to_delete(const ShardState& s, const call::PeerDel& call) {
  if (!call.nids.empty() && !names(call.nids, call.primary)) return call.nids;
  const PeerNi* primary = s.peers.find(call.primary);
  if (primary == nullptr || primary->peer->primary != call.primary) return {call.primary};
  return primary->peer->nids();
}

Check judge(const ShardState& s, const call::PeerDel& call) {
  const PeerNi* primary = s.peers.find(call.primary);
  if (primary == nullptr) return {-ENOENT, "no such peer, or it has no such NID"};
  const Peer& peer = *primary->peer;
  if (peer.primary != call.primary) return {-ENODEV, "not the primary NID of its peer"};
  for (const Nid& nid : call.nids) {
    const PeerNi* ni = s.peers.find(nid);
    if (ni == nullptr) return {-ENOENT, "no such peer, or it has no such NID"};
    if (ni->peer != &peer) return {-ECHILD, "a NID of another peer"};
  }
  for (const Nid& nid : to_delete(s, call))
    if (s.peers.find(nid)->in_flight != 0)
      return {-EBUSY, "messages to or from the peer are under way: try again when they have ended"};
  return {};
}

/// Forgets peer NIs. A message may have begun since judge() found the peer NI idle. Then the
/// entry stays, as if it were new; release_message() removes it with the last message, unless one
/// was exchanged.
void forget(ShardState& s, std::span<const Nid> nids) {
  for (const Nid& nid : nids) {
    PeerNi* ni = s.peers.find(nid);
    if (ni == nullptr) continue;
    ni->in_flight == 0 ? s.peers.erase(*ni) : s.peers.renew(*ni);
  }
}

}  // namespace

Check delete_peer(Step& step, call::PeerDel& call) {
  ShardState& s = step.s;
  if (s.shut_down) return {-ESHUTDOWN, "shutting down"};
  if (call.primary.is_any()) return {-EINVAL, "the primary NID of the peer is missing"};
  if (call.primary.is_loopback()) return {};  // as in Lustre: never listed, never deleted
  if (!call.decided) {
    const Check check = judge(s, call);
    if (check.status != 0 || s.placement.shards() > 1) return check;
  }
  call.gone = to_delete(s, call);
  forget(s, call.gone);
  s.others().for_each(
      [&](std::uint32_t shard) { step.send_letter(shard, letter::Forget{call.gone}); });
  return {};
}

void on_letter(Step& step, std::uint32_t, const letter::Forget& in) { forget(step.s, in.nids); }

}  // namespace ulnet::core
