// The NIDs of other nodes in one shard: for each NID that the shard uses the peer entry, and in the
// NID's owner shard the peer NI with credits, health and counters. The control shard's directory
// decides which NIDs form a peer (directory.h). Source: spec/multirail.md 1, 5.1,
// spec/core-semantics.md 8.8, 8.10, 10.1.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lnet/base/hash_index.h"
#include "lnet/base/slab.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/counters.h"
#include "lnet/core/contract/life_cycles.h"
#include "lnet/core/contract/peer_entry.h"
#include "lnet/core/path/credit.h"
#include "lnet/core/path/gateway.h"
#include "lnet/core/path/losses.h"
#include "lnet/core/path/rails.h"

namespace ulnet::core {

struct PeerNi;
struct InRecovery;

/// The status of a peer NI that its peer has last advertised.
enum class ReportedStatus : std::uint8_t { kNothing, kUp, kDown };

/// One NID of a peer in a shard.
struct PeerNid {
  Handle self;
  Nid nid;
  /// The health of the peer NI. Its owner shard decides it. Another shard has the last value from
  /// the owner, and kHealthMax until its first message to the NID has ended.
  std::int32_t health = kHealthMax;
  /// Messages of this shard to the NID that another shard transmits.
  std::int32_t elsewhere = 0;
  bool discovered = false;     ///< messages may go to it: the discovery of its peer has succeeded
  bool asked = false;          ///< DiscoveryWanted was sent, Discovered has not come yet
  bool used = false;           ///< a message came from it or went to it since the last IdlePeers
  bool watched : 1 = false;    ///< it has a GatewayNid
  bool doubted : 1 = false;    ///< an NI has lost the peer NI: PeerTable::is_lost()
  PeerEntryRef peer_entry;     ///< PeerTable::set_peer_entry() changes it
  Rails* rails = nullptr;      ///< of its peer; null: this shard has chosen no path to the peer yet
  std::uint64_t reported = 0;  ///< Directory::generation() of the last report on it; 0: none yet
  PeerNi* ni = nullptr;        ///< in the owner shard, after the first message from it or to it

  const Nid& primary() const { return peer_entry == nullptr ? nid : peer_entry->primary(); }
  /// All NIDs of its peer but the primary one.
  std::span<const Nid> others() const {
    return peer_entry == nullptr ? std::span<const Nid>{} : peer_entry->others();
  }
  bool multi_rail() const { return peer_entry != nullptr && peer_entry->multi_rail; }
  /// The peer entry, if the peer has several NIDs.
  PeerEntryRef peer_entry_if_several() const { return others().empty() ? nullptr : peer_entry; }
};

/// A peer NI in its owner shard, which transmits the messages to it and receives those from it. The
/// record is deleted when an administrator deletes the NID, or when the last message to it ends and
/// no message was ever exchanged.
struct PeerNi {
  Handle self;
  Nid nid;
  std::uint32_t router = 0;  ///< index of its gate in PeerTable, plus 1; 0: it has none yet
  PeerNid* known = nullptr;
  Gate tx;
  std::uint32_t in_flight = 0;  ///< messages that use it
  std::uint32_t answers = 0;    ///< ACKs and REPLYs to it that wait for a credit or are in flight
  /// Without multi-rail: the NI that the peer always sees (multirail.md 3.4); or 0.
  NiId fixed_source;
  bool met = false;    ///< a message came from it, or a Send to it succeeded
  bool moved = false;  ///< another shard owns it now, so it is deleted after its last message
  ReportedStatus reported = ReportedStatus::kNothing;
  PeerNiLifeState life_cycle = PeerNiLifeState::kInit;
  /// Bytes of headers and payload to it that wait for a credit or are in flight (`txqnob`).
  std::int64_t queued_bytes = 0;
  Instant last_heard = Instant::min();
  InRecovery* recovery = nullptr;  ///< null: its health never fell
  PeerNiErrors errors;
  Traffic traffic;

  void on(PeerNiLifeEvent event) { life_cycle = kPeerNiShownLifeCycle.after(life_cycle, event); }
  bool multi_rail() const { return known->multi_rail(); }
  /// Whether the peer has other NIDs than this one.
  bool has_other_nids() const { return !known->others().empty(); }
};

class PeerTable {
 public:
  /// The NID's record; null: the NID is unknown in this shard.
  PeerNid* find(const Nid& nid) const {
    if (last_ != nullptr && last_->nid == nid) return last_;
    PeerNid* found = by_nid_.find(nid);
    if (found != nullptr) last_ = found;
    return found;
  }
  /// To be called after a change of the NID's health, `elsewhere`, peer entry, or of the credits or
  /// the queue of its peer NI, and before the next path selection, which depends on these.
  void changed(const PeerNid& known) {
    if (known.watched) [[unlikely]]
      note_gateways(known.nid);
  }
  /// Records that NI `by` has lost the peer NI. Id 0: an administrator reports the peer NI down for
  /// all NIs.
  void lose(PeerNid& known, NiId by, Instant now);
  /// Records that a message came from the peer NI, so the peer NI is not lost.
  void hear(PeerNid& known) {
    if (known.doubted) [[unlikely]]
      forget_losses(known);
  }
  /// Whether the peer NI is down: each usable NI of `net`, its net, has lost it, and no message
  /// came from it since.
  bool is_lost(const PeerNid& known, const LocalNet* net) const {
    return known.doubted && losses_.at(known.nid).by_all_of(net);
  }
  /// Whether to try again to reach a lost peer NI: `pause` has passed since it was lost, and since
  /// the last try. True counts as a try.
  bool try_lost(const PeerNid& known, Instant now, Duration pause);
  /// Notifies the gateway of every change of the NID until unwatch().
  GatewayNid& watch(const Nid& nid, Gateway& gateway);
  void unwatch(GatewayNid& nid, Gateway& gateway);
  PeerNi* find_ni(const Nid& nid) const {
    const PeerNid* known = find(nid);
    return known == nullptr ? nullptr : known->ni;
  }
  /// The NID's record; made if the NID is new.
  PeerNid& use(const Nid& nid);
  /// The NID's peer NI. A new peer NI gets `credits`.
  PeerNi& use_ni(PeerNid& known, std::int32_t credits);
  PeerNi& use_ni(const Nid& nid, std::int32_t credits) { return use_ni(use(nid), credits); }
  void set_peer_entry(PeerNid& known, PeerEntryRef peer_entry);
  /// The rails of the peer of this NID, which has a peer entry. They are valid until the peer entry
  /// of one of its NIDs changes, one of its NIDs is erased, or drop_all_rails() is called, as a new
  /// configuration requires.
  Rails& rails_of(PeerNid& known, const NodeConfig& config) {
    return known.rails != nullptr ? *known.rails : make_rails(known, config);
  }
  void drop_all_rails();
  /// Forgets the NID, which must have no peer NI.
  void erase(PeerNid& known);
  /// The router credits of the peer NI: the gate of messages that came from it and are forwarded
  /// (core-semantics.md 10.3). A new gate gets `credits`.
  Gate& use_router_gate(PeerNi& ni, std::int32_t credits);
  /// The router credits of the peer NI; null: no message from it was ever forwarded.
  Gate* router_gate(const PeerNi& ni) const {
    return ni.router == 0 ? nullptr : router_gates_[ni.router - 1].get();
  }
  /// Forgets the peer NI, but not its NID's record. No message may use it any more.
  void erase_ni(PeerNi& ni);
  /// Resets a peer NI that messages still use to the state of a new one. The credits of the peer NI
  /// and those messages stay.
  void renew_ni(PeerNi& ni);
  /// The primary NID of the peer that has `nid`; `nid` itself if no peer is known to have it.
  const Nid& primary_of(const Nid& nid) const;

  template <class Fn>
  void for_each_ni(Fn&& fn) {
    nis_.for_each([&](Handle, PeerNi& ni) { fn(ni); });
  }
  template <class Fn>
  void for_each_ni(Fn&& fn) const {
    nis_.for_each([&](Handle, const PeerNi& ni) { fn(ni); });
  }
  /// Slab::walk() over the peer NIs.
  template <class Fn>
  std::uint32_t walk_nis(std::uint32_t slot, Fn&& fn) const {
    return nis_.walk(slot, std::forward<Fn>(fn));
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    nids_.for_each([&](Handle, const PeerNid& known) { fn(known); });
  }
  /// The peer NI in the next slot, for a round over all of them, a few at a time. Null: the slot is
  /// empty, or the round begins again.
  PeerNi* look_at_next_ni() {
    if (next_ni_ >= nis_.slots()) return next_ni_ = 0, nullptr;
    return nis_.at(next_ni_++);
  }
  std::uint32_t size() const { return nids_.size(); }
  std::uint32_t peer_nis() const { return nis_.size(); }

 private:
  Rails& make_rails(PeerNid& known, const NodeConfig& config);
  void drop_rails(PeerNid& known);
  void note_gateways(const Nid& nid);
  void forget_losses(PeerNid& known);

  Slab<PeerNid> nids_;
  Slab<PeerNi> nis_;
  Slab<Rails> rails_;
  std::vector<std::unique_ptr<Gate>> router_gates_;
  std::vector<std::uint32_t> free_router_gates_;  ///< numbers as in PeerNi::router
  HashIndex<Nid, PeerNid, NidHash, &PeerNid::nid> by_nid_;
  Slab<GatewayNid> gateway_nids_;
  HashIndex<Nid, GatewayNid, NidHash, &GatewayNid::nid> gateway_by_nid_;
  std::map<Nid, Losses> losses_;     ///< of NIDs with `doubted`
  std::uint32_t next_ni_ = 0;        ///< slot for look_at_next_ni()
  mutable PeerNid* last_ = nullptr;  ///< cache: the last result of find()
};

}  // namespace ulnet::core
