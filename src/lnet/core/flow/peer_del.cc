// Deletes a peer, or some of its NIDs. First each shard reports whether it can delete the NIDs.
// Then the control shard, which decides which NIDs form a peer, deletes it. The other shards get
// Publish, behind all earlier messages about the peer. Source: spec/multirail.md 2.2.
#include "lnet/core/flow/peer_del.h"

#include <algorithm>
#include <span>

#include "lnet/core/flow/discovery.h"
#include "lnet/core/flow/peer_entries.h"

namespace ulnet::core {

namespace {

bool names(const std::vector<Nid>& nids, const Nid& nid) {
  return std::find(nids.begin(), nids.end(), nid) != nids.end();
}

bool whole_peer(const call::PeerDel& call) {
  return call.nids.empty() || names(call.nids, call.primary);
}

std::vector<Nid> to_delete(const Directory& directory, const call::PeerDel& call) {
  const Peer* peer = directory.find(call.primary);
  if (!whole_peer(call)) return call.nids;
  if (peer == nullptr || peer->primary != call.primary) return {call.primary};
  return {peer->nids().begin(), peer->nids().end()};
}

/// In the control shard: whether the peer of the call exists and has the NIDs of the call.
Check judge(const ShardState& s, const call::PeerDel& call) {
  const Directory& directory = s.directory;
  const Peer* peer = directory.find(call.primary);
  if (peer == nullptr) return {-ENOENT, "no such peer, or it has no such NID"};
  if (peer->primary != call.primary) return {-ENODEV, "not the primary NID of its peer"};
  for (const Nid& nid : call.nids) {
    const Peer* owner = directory.find(nid);
    if (owner == nullptr) return {-ENOENT, "no such peer, or it has no such NID"};
    if (owner != peer) return {-ECHILD, "a NID of another peer"};
  }
  if (s.gateways.has_any(to_delete(directory, call)))
    return {-EBUSY, "routes go by this peer: delete them first"};
  return {};
}

/// Whether messages to or from a NID that is to be deleted are under way in this shard.
bool busy(const ShardState& s, const call::PeerDel& call) {
  bool found = false;
  s.peers.for_each_ni([&](const PeerNi& ni) {
    const bool goes =
        names(call.nids, ni.nid) || (whole_peer(call) && ni.known->primary() == call.primary);
    found = found || (goes && ni.in_flight != 0);
  });
  return found;
}

}  // namespace

Check delete_peer(Step& step, call::PeerDel& call) {
  ShardState& s = step.s;
  if (call.primary.is_any()) return {-EINVAL, "the primary NID of the peer is missing"};
  if (call.primary.is_loopback()) return {};  // as in Lustre: never listed, never deleted
  if (!call.decided) {
    const Check check = s.index == kControlShard ? judge(s, call) : Check{};
    const bool may_be_there = check.status == 0 || check.status == -ENOENT;
    if (may_be_there && busy(s, call))
      return {-EBUSY, "messages to or from the peer are under way: try again when they have ended"};
    if (check.status != 0 || s.placement.shards() > 1) return check;
  }
  Peer* const peer = s.directory.find(call.primary);
  if (peer != nullptr && peer->has(kPeerLockPrimary) && peer->primary == call.primary &&
      whole_peer(call) && !call.force) {
    const Directory::Changes changes = s.directory.strip(*peer);
    call.gone = changes.gone;
    publish(step, changes);
    ask_again(step, changes.askers);
    return {};
  }
  call.gone = to_delete(s.directory, call);
  const std::vector<DiscoveryAsker> askers = take_askers(step, call.gone);
  remove_nids(step, call.gone);
  ask_again(step, askers);
  return {};
}

void leave_nets(Step& step, const NodeConfig& before) {
  ShardState& s = step.s;
  const auto local = [&](NetId net) { return s.nis.find(net) != nullptr; };
  std::vector<NetId> left;
  for (const NiConfig& ni : before.nis)
    if (!local(ni.nid.net()) && std::ranges::find(left, ni.nid.net()) == left.end())
      left.push_back(ni.nid.net());
  for (const NetId net : left) {
    const Directory::Changes changes = s.directory.leave_net(net, local);
    publish(step, changes);
    give_up(step, changes.askers);
  }
}

}  // namespace ulnet::core
