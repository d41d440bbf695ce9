// The routes to a net, best first, so that a choice does not compare all of them. Source:
// spec/multirail.md 3.3, 9.3.
#pragma once

#include <boost/intrusive/set.hpp>
#include <list>

#include "lnet/core/path/gateway.h"

namespace ulnet::core {

struct RouteGroup;

/// A route of a shard.
struct RouteEntry {
  using Hook =
      boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;

  Gateway* gateway = nullptr;
  std::int32_t distance = 1;  ///< hops
  std::uint32_t priority = 0;
  std::uint64_t sequence = 0;               ///< RouteTable::turns when it was last chosen
  Instant loop_check_due = Instant::min();  ///< flow/routing_loops.h
  std::uint32_t place = 0;                  ///< in the list: the first of equal routes wins

  // The key in the order. RouteTable::in_order() brings it up to date.
  RouteGroup* group = nullptr;  ///< null: it cannot be used
  Readiness readiness;
  std::uint64_t turn = 0;  ///< `sequence`
  Hook hook;
};

/// Whether the terms of best_way() prefer the route `a` with `of_a` to `b` with `of_b`.
inline bool goes_before(const RouteEntry& a, const Readiness& of_a, const RouteEntry& b,
                        const Readiness& of_b) {
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.distance != b.distance) return a.distance < b.distance;
  if (of_a.health != of_b.health) return of_a.health > of_b.health;
  if (of_a.queued != of_b.queued) return of_a.queued < of_b.queued;
  if (of_a.credits != of_b.credits) return of_a.credits > of_b.credits;
  if (a.turn != b.turn) return a.turn < b.turn;
  return a.place < b.place;
}

struct IsBetterRoute {
  bool operator()(const RouteEntry& a, const RouteEntry& b) const {
    return goes_before(a, a.readiness, b, b.readiness);
  }
};

/// The usable routes whose gateways have NIDs on one net of this node only, or those whose gateways
/// have NIDs on several nets. So a message that must use a certain NI is compared with few unusable
/// routes.
struct RouteGroup {
  NetId net;  ///< any: several nets
  boost::intrusive::set<
      RouteEntry, boost::intrusive::compare<IsBetterRoute>,
      boost::intrusive::member_hook<RouteEntry, RouteEntry::Hook, &RouteEntry::hook>>
      routes;

  /// Whether gateways of the group can have a NID on this net.
  bool may_reach(NetId local) const { return net.is_any() || net == local; }
};

struct RoutesInOrder {
  std::list<RouteGroup> groups;
  std::uint64_t seen = 0;  ///< GatewayLog::now() when it was brought up to date last

  /// Updates the position of the route, after its gateway's readiness or its turn has changed.
  /// `usable`: according to the gateway entry.
  void put(RouteEntry& route, bool usable);

 private:
  RouteGroup& group_of(const Gateway& gateway);
};

}  // namespace ulnet::core
