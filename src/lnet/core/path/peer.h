// What one shard knows of other nodes' NIDs: for each NID that it uses the card of the peer, and in
// the NID's home shard the peer NI with credits, health and counters. The control shard's directory
// says which NIDs form a peer (directory.h). Source: spec/multirail.md 1, 5.1,
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
#include "lnet/core/contract/life.h"
#include "lnet/core/contract/peer_card.h"
#include "lnet/core/path/credit.h"
#include "lnet/core/path/gateway.h"
#include "lnet/core/path/losses.h"
#include "lnet/core/path/rails.h"

namespace ulnet::core {

struct PeerNi;
struct InRecovery;

/// What its peer has told last of a peer NI.
enum class ToldStatus : std::uint8_t { kNothing, kUp, kDown };

/// What a shard knows of one NID of a peer.
struct PeerNid {
  Handle self;
  Nid nid;
  /// Of the peer NI. Home owns it; another shard has what home has told last, and kHealthMax until
  /// it has heard of one message of its own.
  std::int32_t health = kHealthMax;
  /// Messages of this shard that other shards transmit to it.
  std::int32_t elsewhere = 0;
  bool discovered = false;   ///< messages may go to it: the discovery of its peer has ended well
  bool asked = false;        ///< DiscoveryWanted was written, Discovered has not come yet
  bool used = false;         ///< a message came from it or went to it since the last look at that
  bool watched : 1 = false;  ///< there is a GatewayNid of it
  bool doubted : 1 = false;  ///< an NI has lost the peer NI: PeerTable::is_lost()
  PeerCardRef card;          ///< PeerTable::set_card() changes it
  Rails* rails = nullptr;    ///< of its peer; null: this shard has chosen no path to that yet
  std::uint64_t told = 0;  ///< Directory::generation() of what was told of it last; 0: nothing yet
  PeerNi* ni = nullptr;    ///< in the NID's home, once a message was received from it or sent to it

  const Nid& primary() const { return card == nullptr ? nid : card->primary(); }
  /// All NIDs of its peer but the primary one.
  std::span<const Nid> others() const {
    return card == nullptr ? std::span<const Nid>{} : card->others();
  }
  bool multi_rail() const { return card != nullptr && card->multi_rail; }
  /// The card, if the peer has several NIDs.
  PeerCardRef card_of_several() const { return others().empty() ? nullptr : card; }
};

/// One of a peer's NIDs in its home, the shard that transmits the messages to it and receives those
/// from it. The entry goes again when an administrator deletes it, or when the last message to it
/// ends and none was ever exchanged.
struct PeerNi {
  Handle self;
  Nid nid;
  std::uint32_t router = 0;  ///< of PeerTable::router_gate(); 0: it has none yet
  PeerNid* known = nullptr;
  Gate tx;
  std::uint32_t in_flight = 0;  ///< messages that name it
  std::uint32_t answers = 0;    ///< ACKs and REPLYs to it that wait for a credit or are in flight
  NiId fixed_source;   ///< without multi-rail: the NI that it always sees (multirail.md 3.4); or 0
  bool met = false;    ///< a message came from it, or a Send to it succeeded
  bool moved = false;  ///< its home is another shard now, so it goes with its last message
  ToldStatus told = ToldStatus::kNothing;
  PeerNiLife life = PeerNiLife::kInit;
  /// Bytes of headers and payload to it that wait for a credit or are in flight (`txqnob`).
  std::int64_t queued_bytes = 0;
  Instant last_heard = Instant::min();
  InRecovery* recovery = nullptr;  ///< null: it was always well
  PeerNiErrors errors;
  Traffic traffic;

  void on(PeerNiLifeEvent event) { life = kPeerNiShownLife.after(life, event); }
  bool multi_rail() const { return known->multi_rail(); }
  /// Whether the peer has other NIDs than this one.
  bool has_other_nids() const { return !known->others().empty(); }
};

class PeerTable {
 public:
  /// Null: this shard knows nothing of the NID.
  PeerNid* find(const Nid& nid) const {
    if (last_ != nullptr && last_->nid == nid) return last_;
    PeerNid* found = by_nid_.find(nid);
    if (found != nullptr) last_ = found;
    return found;
  }
  /// Something has changed by which the NID is chosen: its health, `elsewhere`, its card, or the
  /// credits or the queue of its peer NI. Whoever changes one of these says so before the next
  /// choice.
  void changed(const PeerNid& known) {
    if (known.watched) [[unlikely]]
      tell_gateways(known.nid);
  }
  /// NI `by` has lost the peer NI; with id 0 whichever could have it, as an administrator says.
  void lose(PeerNid& known, NiId by, Instant now);
  /// The peer NI was heard of: it is not lost.
  void hear(PeerNid& known) {
    if (known.doubted) [[unlikely]]
      forget_losses(known);
  }
  /// Whether the peer NI is down: each NI of `net`, its net, that could have it has lost it, and
  /// nothing was heard of it since.
  bool is_lost(const PeerNid& known, const LocalNet* net) const {
    return known.doubted && losses_.at(known.nid).by_all_of(net);
  }
  /// Whether it is time to try whether a peer NI that is lost is there again: `pause` has passed
  /// since it was lost, and since the last trial. True: now is one.
  bool try_lost(const PeerNid& known, Instant now, Duration pause);
  /// The gateway hears of every change of the NID until unwatch().
  GatewayNid& watch(const Nid& nid, Gateway& gateway);
  void unwatch(GatewayNid& nid, Gateway& gateway);
  PeerNi* find_ni(const Nid& nid) const {
    const PeerNid* known = find(nid);
    return known == nullptr ? nullptr : known->ni;
  }
  /// The NID's entry; made if it is new.
  PeerNid& use(const Nid& nid);
  /// The NID's peer NI. A new one gets `credits`.
  PeerNi& use_ni(PeerNid& known, std::int32_t credits);
  PeerNi& use_ni(const Nid& nid, std::int32_t credits) { return use_ni(use(nid), credits); }
  void set_card(PeerNid& known, PeerCardRef card);
  /// The rails of the peer that has this NID, which has a card. They are valid until the card of
  /// one of its NIDs changes, one of them is erased, or all rails are dropped, which is due when
  /// the configuration is another one.
  Rails& rails_of(PeerNid& known, const NodeConfig& config) {
    return known.rails != nullptr ? *known.rails : make_rails(known, config);
  }
  void drop_all_rails();
  /// Forgets the NID. It must have no peer NI.
  void erase(PeerNid& known);
  /// The gate of the messages that came from the peer NI and are forwarded (core-semantics.md
  /// 10.3). A new one gets `credits`.
  Gate& use_router_gate(PeerNi& ni, std::int32_t credits);
  /// Null: none was ever forwarded.
  Gate* router_gate(const PeerNi& ni) const {
    return ni.router == 0 ? nullptr : router_gates_[ni.router - 1].get();
  }
  /// Forgets the peer NI, not what is known of its NID. No message may name it any more.
  void erase_ni(PeerNi& ni);
  /// Makes a peer NI that messages still name as if it were new. Its credits and those messages
  /// stay.
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
  /// As Slab::walk(), of the peer NIs.
  template <class Fn>
  std::uint32_t walk_nis(std::uint32_t slot, Fn&& fn) const {
    return nis_.walk(slot, std::forward<Fn>(fn));
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    nids_.for_each([&](Handle, const PeerNid& known) { fn(known); });
  }
  /// The next peer NI for those who go round them, a few at a time; null: there is none in the next
  /// slot, or the round begins anew.
  PeerNi* look_at_next_ni() {
    if (next_ni_ >= nis_.slots()) return next_ni_ = 0, nullptr;
    return nis_.at(next_ni_++);
  }
  std::uint32_t size() const { return nids_.size(); }
  std::uint32_t peer_nis() const { return nis_.size(); }

 private:
  Rails& make_rails(PeerNid& known, const NodeConfig& config);
  void drop_rails(PeerNid& known);
  void tell_gateways(const Nid& nid);
  void forget_losses(PeerNid& known);

  Slab<PeerNid> nids_;
  Slab<PeerNi> nis_;
  Slab<Rails> rails_;
  std::vector<std::unique_ptr<Gate>> router_gates_;
  std::vector<std::uint32_t> free_router_gates_;  ///< as in PeerNi::router
  HashIndex<Nid, PeerNid, NidHash, &PeerNid::nid> by_nid_;
  Slab<GatewayNid> gateway_nids_;
  HashIndex<Nid, GatewayNid, NidHash, &GatewayNid::nid> gateway_by_nid_;
  std::map<Nid, Losses> losses_;     ///< of those that are doubted
  std::uint32_t next_ni_ = 0;        ///< slot that look_at_next_ni() looks into
  mutable PeerNid* last_ = nullptr;  ///< what find() returned last, a cache
};

}  // namespace ulnet::core
