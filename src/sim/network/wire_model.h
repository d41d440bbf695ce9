// The network between nodes: places (addresses) and links (ordered pairs of places) with delay,
// bandwidth, random losses and faults. It computes when a piece arrives, or that it is lost; it
// knows no messages and no connections. Source: DESIGN.md 6.
//
// A cut link loses the pieces on it and those that are sent. A clogged link loses nothing, but
// delivers nothing until it is cleared. On a link without a route the sender's system reports an
// error. TCP never loses a byte: a part of a stream that a link loses arrives `retransmit` later,
// and on a cut link a stream waits.
//
// A place may be attached to a switch (fabric.h). A piece to a place at another switch then also
// crosses the links between the two switches. While one of these is cut, the piece meets the same
// as on a cut link.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/hash_index.h"
#include "lnet/base/rng.h"
#include "lnet/lnd/sock/engine/address.h"
#include "sim/kernel/event_queue.h"
#include "sim/network/fabric.h"

namespace ulnet::sim {

using lnd::sock::Address;
using lnd::sock::Endpoint;

/// The address part of a NID of any net. Two NIDs with one address share its links.
Address wire_address(const Nid& nid);

struct LinkModel {
  Duration delay = std::chrono::microseconds(20);
  Duration jitter{};  ///< up to this much is added to the delay; the order is kept
  /// 0: no limit. A piece waits until the pieces before it are sent.
  std::uint64_t bytes_per_second = 0;
  std::uint32_t loss_ppm = 0;       ///< of a million pieces
  std::uint32_t duplicate_ppm = 0;  ///< messages only
  std::uint32_t reorder_ppm = 0;    ///< messages only: how many are delayed, and so overtaken
  Duration reorder = std::chrono::milliseconds(1);  ///< the longest such delay
  /// Streams: a lost piece arrives this much later. On a broken link it is sent again after this,
  /// then each time after twice as long, but never later than after retransmit_max.
  Duration retransmit = std::chrono::milliseconds(200);
  Duration retransmit_max = std::chrono::seconds(1);
  bool operator==(const LinkModel&) const = default;
};
/// One of the probabilities of a model, such as &LinkModel::loss_ppm.
using LinkChance = std::uint32_t LinkModel::*;

/// An address that is or was in use; numbered densely in the order of first use.
struct Place {
  std::uint32_t value = ~0U;
  bool operator==(const Place&) const = default;
};

/// Why a piece did not arrive.
enum class WireLoss : std::uint8_t {
  kChance,
  kCut,
  kInterfaceDown,     ///< the interface of the sender or of the receiver
  kNobody,            ///< no node has that address, or its node is down
  kOtherIncarnation,  ///< sent to or by an earlier incarnation of a node
};
inline constexpr std::array kLossWords = {"chance", "cut", "interface down", "nobody there",
                                          "another incarnation"};
static_assert(kLossWords.size() == static_cast<std::size_t>(WireLoss::kOtherIncarnation) + 1);
inline const char* to_string(WireLoss loss) { return kLossWords[static_cast<std::size_t>(loss)]; }

/// One direction between two places. The wire makes it on first use; its address is stable.
class Link {
 public:
  Place from() const { return from_; }
  Place to() const { return to_; }
  const LinkModel& model() const { return model_; }
  /// Whether a piece that is sent can arrive: there is a route, the link is neither cut nor
  /// clogged, and both interfaces are up.
  bool open() const { return obstacles_ == 0; }
  /// Whether there is a route. Without one the sender's system reports an error.
  bool routed() const { return lost_routes_ == 0; }
  /// Whether the link is cut, has no route, or one of its interfaces is down.
  bool broken() const { return obstacles_ != (clogs_ != 0 ? 1U : 0U); }
  /// The way between two switches that pieces of this link cross; null: they cross none.
  const Fabric::Way* way() const { return way_; }
  /// Pieces that wait until the link is open. They move when it opens; after a broken link they
  /// move when they are sent again.
  Parking& waiting() { return waiting_; }

 private:
  friend class Wire;
  struct Raised {
    std::uint64_t fault;
    LinkChance chance;
    std::uint32_t ppm;
  };
  Place from_, to_;
  LinkModel model_;  ///< `usual_`, with the values that faults have raised
  LinkModel usual_;
  std::vector<Raised> raised_;  ///< in the order in which the faults began
  bool own_model_ = false;
  const Fabric::Way* way_ = nullptr;
  /// The numbers of faults in force; each kind of fault is an obstacle.
  std::uint32_t cuts_ = 0, clogs_ = 0, lost_routes_ = 0;
  /// The number of cut links between switches on its way; 1 when no way leads there.
  std::uint32_t cut_on_way_ = 0;
  std::uint32_t obstacles_ = 0;
  Instant broken_since_{};
  Instant free_at_{};  ///< when the sending interface has sent everything given to it
  Instant last_{};     ///< no ordered message arrives before this
  Parking waiting_;
};

/// What happens to a piece that is sent.
struct Passage {
  Instant sent{};          ///< the piece has left the interface
  Instant arrives{};       ///< at the first switch of Link::way(), if any; kNever: lost, see `loss`
  Instant again = kNever;  ///< when a second copy arrives
  WireLoss loss = WireLoss::kChance;
};

class Wire {
 public:
  /// `queue` must outlive the wire.
  Wire(EventQueue& queue, Rng rng) : queue_(queue), rng_(rng), fabric_(queue) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  Place place(const Address& address);
  Place place(const Nid& nid) { return place(wire_address(nid)); }
  const Address& address(Place place) const { return places_[place.value]->address; }
  std::size_t places() const { return places_.size(); }
  Link& link(Place from, Place to);
  /// The switches and links of the fabric must exist before the first link() between places at two
  /// of them.
  Fabric& fabric() { return fabric_; }
  /// Attaches the place to this switch for good, before the first link() from or to the place.
  void attach(Place place, SwitchId at);

  // State of the links. It may change at any time. A new model does not change when a piece that is
  // under way arrives.
  /// Sets the model of every link that has none of its own.
  void set_model(const LinkModel& model);
  void set_model(Place from, Place to, const LinkModel& model);
  const LinkModel& model() const { return model_; }
  /// A fault gives one of the probabilities of a link another value. Among the faults of one
  /// probability that are in force, the one that began last counts; when none is in force, the
  /// model counts. Returns the number of the fault, for lower().
  std::uint64_t raise(Link& link, LinkChance chance, std::uint32_t ppm);
  void lower(Link& link, std::uint64_t fault);
  // A fault of one of the next four kinds begins or ends. It stays in force until its own end, even
  // if others begin and end meanwhile. An end changes nothing when no fault of its kind is in
  // force.
  /// Affects one direction; for both directions make two calls.
  void cut(Place from, Place to, bool begins);
  void clog(Place from, Place to, bool begins);
  /// The sending machine has no route (`routed` false) until the route returns.
  void set_route(Place from, Place to, bool routed);
  /// The interface at this address goes down (`up` false), until it goes up. (SimNode::set_link()
  /// also notifies the node.)
  void set_up(Place place, bool up);
  /// The interface at this address handles one message at a time, in or out, each for this long. 0:
  /// any number at once. It holds for messages only, not for streams.
  void set_service(Place place, Duration service) { places_[place.value]->service = service; }
  Duration service(Place place) const { return places_[place.value]->service; }
  /// The interface takes one more message now. Returns when it has handled the message.
  Instant serve(Place place);
  /// How many bytes a second the interface at this address sends, to all others together. 0: as
  /// much as its links carry.
  void set_rate(Place place, std::uint64_t bytes_per_second) {
    places_[place.value]->rate = bytes_per_second;
  }
  bool up(Place place) const { return places_[place.value]->downs == 0; }
  /// Cuts or restores the link between two switches, in both directions.
  void cut_switch_link(SwitchLinkId id, bool cut);
  /// Ends every cut and clog, restores every route, raises every interface.
  void heal();

  // Sending
  /// Sends a message: it may be lost, duplicated or delayed.
  Passage pass_message(Link& link, std::size_t bytes);
  /// Sends a piece of a stream: it is never lost, but it may be late. The link must be open.
  Passage pass_stream(Link& link, std::size_t bytes);
  /// Sends a segment without payload, of a handshake: it waits for nothing at switches. Returns
  /// when it arrives.
  Instant pass_segment(Link& link, std::size_t bytes);

 private:
  struct PlaceState {
    Place self;
    Address address;
    std::optional<SwitchId> at_switch;
    std::uint32_t downs = 0;  ///< the number of faults in force that keep the interface down
    Duration service{};
    Instant busy_until{};
    std::uint64_t rate = 0;
    Instant free_at{};         ///< when the interface has sent everything given to it, at `rate`
    std::vector<Link*> links;  ///< the links that begin or end here, in the order of first use
  };
  struct AddressHash {
    std::size_t operator()(const Address& address) const;
  };
  struct PairHash {
    std::size_t operator()(std::uint64_t pair) const { return pair; }
  };

  void find_way(Link& link);
  static void set_usual(Link& link, const LinkModel& model);
  void obstacle(Link& link, bool more);
  Duration time_to_retransmit(const Link& link) const;
  void fault(Link& link, std::uint32_t Link::*kind, bool begins);
  Instant transmit(Link& link, std::size_t bytes);
  Duration travel(const Link& link);

  EventQueue& queue_;
  Rng rng_;
  Fabric fabric_;
  LinkModel model_;
  std::uint64_t last_fault_ = 0;
  std::vector<std::unique_ptr<PlaceState>> places_;
  std::vector<std::unique_ptr<Link>> links_;  ///< in the order of first use
  HashIndex<Address, PlaceState, AddressHash> by_address_;
  HashIndex<std::uint64_t, Link, PairHash> by_pair_;
};

}  // namespace ulnet::sim
