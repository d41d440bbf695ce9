// Makes and forgets the NID entries and peer NIs of a shard, with the credits that the
// configuration gives them. Source: spec/multirail.md 1, spec/core-semantics.md 10.2, 10.3.
#include "lnet/core/flow/peers.h"

#include <algorithm>

#include "lnet/core/flow/in_recovery.h"

namespace ulnet::core {

std::int32_t peer_credits_for(const ShardState& s, const Nid& nid) {
  const LocalNet* net = s.nis.find(nid.net());
  return net == nullptr || nid.is_loopback() ? 0 : net->peer_credits;
}

std::int32_t router_credits_for(const ShardState& s, const Nid& nid) {
  const LocalNet* net = s.nis.find(nid.net());
  if (net == nullptr || nid.is_loopback()) return 0;
  const std::int32_t own = net->nis.front()->config.tunables.peer_buffer_credits;
  return own > 0 ? own : net->peer_credits;
}

std::uint32_t share_of_peers(const ShardState& s) {
  const auto all = static_cast<std::uint32_t>(s.config->globals.max_peers);
  return std::max(all / s.placement.shards(), 1U);
}

PeerNid& know(Step& step, const Nid& nid) {
  ShardState& s = step.s;
  if (PeerNid* known = s.peers.find(nid)) return *known;
  PeerNid& known = s.peers.use(nid);
  known.used = true;
  if (s.index == kControlShard) {
    s.peers.set_peer_entry(known, s.directory.peer_entry_of(nid));
    known.reported = s.directory.generation();
  } else if (!nid.is_loopback()) {
    step.send_to_shard(kControlShard, shard_msg::PeerEntryWanted{nid});
  }
  return known;
}

void want_discovery(Step& step, PeerNid& known, Pid pid) {
  if (std::exchange(known.asked, true)) return;
  step.send_to_shard(kControlShard, shard_msg::DiscoveryWanted{known.nid, pid});
}

PeerNid* ask(Step& step, const Nid& nid) {
  PeerNid* known = step.s.peers.find(nid);
  if (known == nullptr && !nid.is_loopback())
    step.send_to_shard(kControlShard, shard_msg::PeerEntryWanted{nid});
  return known;
}

void forget_if_unknown(ShardState& s, const Nid& nid) {
  PeerNid* known = s.peers.find(nid);
  if (known == nullptr || known->ni != nullptr || known->peer_entry != nullptr) return;
  if (!known->discovered) s.peers.erase(*known);
}

PeerNi* make_peer_ni(Step& step, const Nid& nid) {
  if (step.s.placement.of(nid) != step.s.index) return nullptr;
  return &step.s.peers.use_ni(know(step, nid), peer_credits_for(step.s, nid));
}

void connected(Step& step, PeerNi& ni) {
  ni.on(PeerNiLifeEvent::kSuccess);
  if (std::exchange(ni.met, true)) return;
  if (!ni.nid.is_loopback()) step.send_to_shard(kControlShard, shard_msg::PeerMet{ni.nid});
}

void forget_idle(ShardState& s, PeerNi& ni) {
  PeerNid& known = *ni.known;
  if (known.peer_entry != nullptr && !ni.moved) return;
  forget_recovery(s, ni);
  s.peers.erase_ni(ni);
  if (known.peer_entry == nullptr && !known.discovered) s.peers.erase(known);
}

void forget_moved(ShardState& s) {
  std::vector<PeerNi*> moved;
  s.peers.for_each_ni([&](PeerNi& ni) {
    const bool was_moved = std::exchange(ni.moved, s.placement.of(ni.nid) != s.index);
    if (ni.moved != was_moved) ni.on(ni.moved ? PeerNiLifeEvent::kRemoved : PeerNiLifeEvent::kMade);
    if (ni.moved) moved.push_back(&ni);
  });
  for (PeerNi* ni : moved) forget_if_unmet(s, *ni);
}

}  // namespace ulnet::core
