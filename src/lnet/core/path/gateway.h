// A gateway as a shard has it: what the control shard has told of it, and how well messages of this
// shard would get to it. The orders of routes_in_order.h follow its changes. Source:
// spec/multirail.md 3.3.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/gateway_card.h"
#include "lnet/core/contract/peer_card.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {

struct PeerNid;
struct RouteEntry;
struct Gateway;
class GatewayLog;

/// What of a gateway its routes are judged by.
struct Readiness {
  std::int32_t health = kHealthMax;
  std::int64_t queued = 0;  ///< bytes; known where the gateway's NID has its home
  std::int64_t credits = 0;

  bool operator==(const Readiness&) const = default;
};

/// A NID by which messages of this shard may go to a gateway. PeerTable::watch() makes it.
struct GatewayNid {
  Handle self;
  Nid nid;
  PeerNid* known = nullptr;  ///< null: the shard knows nothing of it
  /// That are to hear of its changes. Several: the routes name one router by several NIDs. A
  /// gateway that watches the NID twice is in it twice.
  std::vector<Gateway*> gateways;
};

struct Gateway {
  /// One of its NIDs on a net that this node is on.
  struct Link {
    GatewayNid* nid = nullptr;
    std::int32_t of_net = 0;  ///< peer credits
  };
  using Hook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::normal_link>>;

  GatewayCard card;

  GatewayLog* log = nullptr;
  Hook hook;
  std::uint64_t changed = 0;    ///< GatewayLog::now() when something of it changed last
  std::uint64_t judged = 0;     ///< the `changed` that the following is of
  bool linked = false;          ///< `named`, `peer` and `links` are right for the NIs of this node
  GatewayNid* named = nullptr;  ///< the NID by which the routes name it
  PeerCardRef peer;             ///< of that NID; `links` are made from it
  std::vector<Link> links;
  /// The best of its NIDs in each of the terms: no message finds it any better.
  Readiness readiness;
  std::vector<std::pair<NetId, RouteEntry*>> routes;  ///< by it, in the order of the nets

  /// Null: none leads there.
  RouteEntry* route_to(NetId net) const;
  /// Whether it has NIDs on several nets of this node.
  bool on_several_nets() const;
};

/// The gateways of a RouteTable, by when something of them has changed last. So a reader who knows
/// when it looked last finds what has changed since, each gateway once, and nobody keeps a list for
/// each reader.
class GatewayLog {
 public:
  void note(Gateway& gateway);
  std::uint64_t now() const { return now_; }
  template <class Fn>
  void for_each_since(std::uint64_t then, Fn&& fn) {
    for (auto at = newest_first_.begin(); at != newest_first_.end() && at->changed > then; ++at)
      fn(*at);
  }
  void clear() { newest_first_.clear(); }

 private:
  boost::intrusive::list<Gateway,
                         boost::intrusive::member_hook<Gateway, Gateway::Hook, &Gateway::hook>>
      newest_first_;
  std::uint64_t now_ = 0;  ///< how many changes there were
};

}  // namespace ulnet::core
