// For tests: administrators, services and the peers themselves give node a information about peers.
#pragma once

#include <gmock/gmock.h>

#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {

using Nids = std::vector<Nid>;

struct Peers : Pipe {
  using Pipe::Pipe;

  // ---- calls and messages; each call returns the errno, or 0
  template <class Call>
  int say(Call body) {
    int status = 1;
    call(a, std::move(body), &status);
    return status;
  }
  int add(const Nid& primary, Nids nids = {}) { return say(call::PeerAdd{primary, nids}); }
  int add_non_mr(const Nid& primary, Nids nids = {}) {
    return say(call::PeerAdd{primary, nids, false});
  }
  int add_locked(const Nid& primary, Nids nids = {}) {
    return say(call::PeerAdd{primary, nids, true, true});
  }
  int del(const Nid& primary, Nids nids = {}, bool force = false) {
    return say(call::PeerDel{primary, std::move(nids), force});
  }
  int declare(Nids nids) { return say(call::DeclarePeer{std::move(nids)}); }
  int set_state(const Nid& nid, std::uint32_t bits) { return say(call::SetPeerState{nid, bits}); }
  int discovered(const Nid& nid) { return say(call::PeerDiscovered{nid}); }
  Nid ask_primary(const Nid& nid) { return call(a, call::PrimaryNid{nid}).primary; }
  /// A peer reports its NIDs by a push, the primary NID first. Node a's own push is lost.
  void advertise(const Nids& nids, std::uint32_t features = kUsualFeatures) {
    push_to_a(*this, encode(info_with(nids, features)), nids.front());
  }
  /// A message comes from a NID that nothing has reported before.
  void hear(const Nid& nid) {
    wire::LnetHeader put;
    put.dest_nid = tcp(1, nid.net().num);
    put.src_nid = nid;
    put.part = wire::PutPart{.portal = 9};
    arrive(a, put, nid, nid.net().num == 0 ? kTcp : kTcp1);
  }

  // ---- the results
  Directory& directory() const {
    return const_cast<ShardState&>(a.shards[kControlShard]->observe()).directory;
  }
  /// The NIDs of each peer.
  std::vector<Nids> peers() {
    std::vector<Nids> all;
    for (const PeerShow& peer : show(a).peers) {
      all.emplace_back();
      for (const PeerNiShow& ni : peer.nis) all.back().push_back(ni.nid);
    }
    return all;
  }
  Nids nids_of(const Nid& nid) const {
    const Peer* peer = directory().find(nid);
    return peer == nullptr ? Nids{} : Nids(peer->nids().begin(), peer->nids().end());
  }
  std::uint32_t state(const Nid& nid) const {
    const Peer* peer = directory().find(nid);
    return peer == nullptr ? 0 : peer->state;
  }
  /// Every shard that has an entry for this NID has the directory's shared peer entry for it.
  bool all_entries_match(const Nid& nid) const {
    return std::ranges::all_of(a.shards, [&](const auto& shard) {
      const PeerNid* known = shard->observe().peers.find(nid);
      return known == nullptr || known->peer_entry == directory().peer_entry_of(nid);
    });
  }
  std::size_t noted(const std::string& part) const {
    return static_cast<std::size_t>(std::ranges::count_if(a.notes, [&](const Note& note) {
      return std::string(note.text).find(part) != std::string::npos;
    }));
  }
};

// The states that production nodes show (spec/multirail.md 1.1).
inline constexpr std::uint32_t kConfiguredMr = kPeerConfigured | kPeerMultiRail;
inline constexpr std::uint32_t kLockedMr = kPeerLockPrimary | kPeerMultiRail;
inline constexpr std::uint32_t kLockedConfigured = kLockedMr | kPeerConfigured;
inline constexpr std::uint32_t kFound = kPeerDiscovered | kPeerNidsUpToDate;
static_assert(kConfiguredMr == 9 && kLockedMr == 1048577 && kLockedConfigured == 1048585);
static_assert((kLockedMr | kFound) == 1048849);

}  // namespace ulnet::core::test
