// A gateway as a shard sees it: its gateway entry from the control shard, and the state of the path
// from this shard to it. The orders of routes_in_order.h follow its changes. Source:
// spec/multirail.md 3.3.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/gateway_entry.h"
#include "lnet/core/contract/peer_entry.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {

struct PeerNid;
struct RouteEntry;
struct Gateway;
class GatewayLog;

/// The terms of a gateway by which its routes are compared.
struct Readiness {
  std::int32_t health = kHealthMax;
  std::int64_t queued = 0;  ///< bytes; known only in the owner shard of the gateway's NID
  std::int64_t credits = 0;

  bool operator==(const Readiness&) const = default;
};

/// A NID of a gateway to which messages of this shard may go. PeerTable::watch() makes it.
struct GatewayNid {
  Handle self;
  Nid nid;
  PeerNid* known = nullptr;  ///< null: the shard knows nothing of it
  /// The gateways that are notified of its changes. There are several if the routes name one router
  /// by several NIDs. A gateway that watches the NID twice is listed twice.
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

  GatewayEntry entry;

  GatewayLog* log = nullptr;
  Hook hook;
  std::uint64_t changed = 0;  ///< GatewayLog::now() at its last change
  std::uint64_t judged = 0;   ///< the value of `changed` for which the members below hold
  /// `named`, `peer` and `links` are up to date with the NIs of this node.
  bool linked = false;
  GatewayNid* named = nullptr;  ///< the NID that the routes name
  PeerEntryRef peer;            ///< of `named`; `links` are made from this entry
  std::vector<Link> links;
  /// In each term the best value of the gateway's NIDs: an upper bound for every message.
  Readiness readiness;
  /// The routes through this gateway, in the order of the nets.
  std::vector<std::pair<NetId, RouteEntry*>> routes;

  /// The route to `net` through this gateway; null: no such route.
  RouteEntry* route_to(NetId net) const;
  /// Whether the gateway has NIDs on several nets of this node.
  bool on_several_nets() const;
};

/// The gateways of a RouteTable, ordered by their last change. A reader remembers now() of its last
/// look, and finds once each gateway that has changed since that look. So no list per reader is
/// needed.
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
  std::uint64_t now_ = 0;  ///< the number of changes
};

}  // namespace ulnet::core
