// What lies between nodes: places (addresses) and links (directed pairs of them), with delay,
// bandwidth, chance and faults. It says when something arrives, or that it does not; it knows
// neither messages nor connections. Source: DESIGN.md 6.
//
// A cut link loses what is on it and what is sent; a clogged one loses nothing, nothing moves on it
// until it is cleared; where there is no route, the sender's own system says so. TCP never loses a
// byte: what a link loses of a stream comes `retransmit` later, and on a cut link a stream stands
// still.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "core/hash_index.h"
#include "lnd/sock/address.h"
#include "sim/event_queue.h"

namespace ulnet::sim {

using lnd::sock::Address;
using lnd::sock::Endpoint;

/// The address part of a NID of any net; two NIDs with one address share its links.
Address wire_address(const Nid& nid);

struct LinkModel {
  Duration delay = std::chrono::microseconds(20);
  Duration jitter{};                   ///< up to this much more, order kept
  std::uint64_t bytes_per_second = 0;  ///< 0: no limit. What is sent queues behind what was
  std::uint32_t loss_ppm = 0;          ///< of a million pieces
  std::uint32_t duplicate_ppm = 0;     ///< messages only
  std::uint32_t reorder_ppm = 0;       ///< messages only: these are overtaken by others
  Duration reorder = std::chrono::milliseconds(1);  ///< how much later those come, at most
  Duration retransmit =
      std::chrono::milliseconds(200);  ///< streams: what was lost comes so much later
  bool operator==(const LinkModel&) const = default;
};

/// An address that somebody has or had; dense, in the order in which they became known.
struct Place {
  std::uint32_t value = ~0U;
  bool operator==(const Place&) const = default;
};

/// Where a piece ended that never arrived.
enum class WireLoss : std::uint8_t {
  kChance,
  kCut,
  kInterfaceDown,  ///< of either end
  kNobody,         ///< nobody has that address, or its node is down
  kOtherLife,      ///< sent to, or by, an earlier life of a node
};
const char* to_string(WireLoss loss);

/// One direction between two places. Stable address; made on first use.
class Link {
 public:
  Place from() const { return from_; }
  Place to() const { return to_; }
  const LinkModel& model() const { return model_; }
  /// Something that is sent may arrive: a route, neither cut nor clogged, both interfaces up.
  bool open() const { return obstacles_ == 0; }
  bool clogged() const { return clogged_; }
  /// Whoever begins to send is told if not.
  bool routed() const { return routed_; }
  /// Cut, without a route, or one of the interfaces is down.
  bool broken() const { return obstacles_ != (clogged_ ? 1U : 0U); }
  /// Where what cannot move waits until it can; after a link was broken, `retransmit` longer.
  Parking& waiting() { return waiting_; }

 private:
  friend class Wire;
  Place from_, to_;
  LinkModel model_;
  bool own_model_ = false;
  bool cut_ = false, clogged_ = false, routed_ = true;
  std::uint32_t obstacles_ = 0;
  Instant free_at_{};  ///< when the sending side has sent what it was given
  Instant last_{};     ///< nothing in order arrives before
  Parking waiting_;
};

/// What becomes of a piece that is sent.
struct Passage {
  Instant sent{};          ///< it has left the interface
  Instant arrives{};       ///< kNever: lost, `loss` says how
  Instant again = kNever;  ///< a second time
  WireLoss loss = WireLoss::kChance;
};

class Wire {
 public:
  /// `queue` must outlive it.
  Wire(EventQueue& queue, Rng rng) : queue_(queue), rng_(rng) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  Place place(const Address& address);
  Place place(const Nid& nid) { return place(wire_address(nid)); }
  const Address& address(Place place) const { return places_[place.value]->address; }
  std::size_t places() const { return places_.size(); }
  Link& link(Place from, Place to);

  // How links are. All of them may change at any time; what is under way arrives as it would have.
  /// Of every link without a model of its own.
  void set_model(const LinkModel& model);
  void set_model(Place from, Place to, const LinkModel& model);
  const LinkModel& model() const { return model_; }
  /// One way; both ways are two calls.
  void cut(Place from, Place to, bool cut);
  void clog(Place from, Place to, bool clog);
  /// Whether the sending machine knows a way.
  void set_route(Place from, Place to, bool routed);
  /// An interface: everything to and from this address. (SimNode::set_link tells its node as well.)
  void set_up(Place place, bool up);
  bool up(Place place) const { return places_[place.value]->up; }
  /// Ends every cut and clog, gives back every route, raises every interface.
  void heal();

  // What passes.
  /// A message: may be lost, come twice or late.
  Passage pass_message(Link& link, std::size_t bytes);
  /// A piece of a stream: in order, for certain, perhaps late. Only on an open link.
  Passage pass_stream(Link& link, std::size_t bytes);

 private:
  struct PlaceState {
    Place self;
    Address address;
    bool up = true;
    std::vector<Link*> links;  ///< that begin or end here, in the order of first use
  };
  struct AddressHash {
    std::size_t operator()(const Address& address) const;
  };
  struct PairHash {
    std::size_t operator()(std::uint64_t pair) const { return pair; }
  };

  void obstacle(Link& link, bool more);
  Instant transmit(Link& link, std::size_t bytes);
  Duration travel(const Link& link);

  EventQueue& queue_;
  Rng rng_;
  LinkModel model_;
  std::vector<std::unique_ptr<PlaceState>> places_;
  std::vector<std::unique_ptr<Link>> links_;  ///< in the order of first use
  core::HashIndex<Address, PlaceState, AddressHash> by_address_;
  core::HashIndex<std::uint64_t, Link, PairHash> by_pair_;
};

}  // namespace ulnet::sim
