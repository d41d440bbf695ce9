// What can be changed on a node: one struct for each change, which ulnetctl, an import, the control
// API and the start of ulnetd all make, and which the node carries out. Source:
// spec/cli-lnetctl.md 3, spec/multirail.md 2.2, 9.1, 9.2, 10.2, 11.
//
// An error of a change has the text that lnetctl shows as `descr`, and its errno.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lnet/config/model.h"
#include "lnet/config/selection.h"
#include "lnet/core/contract/fault.h"

namespace ulnet::conf {

namespace change {

/// `net add`. When the first NI of a net is added, its peers are spread permanently over the
/// partitions of all NIs of that net that are added together with it.
struct AddNi {
  NetId net;
  NiItem ni;
};
/// `net del`: deletes the NI with this NID, or the net, or one interface of the net.
struct DelNi {
  NetId net{};
  std::optional<std::string> interface {};
  std::optional<Nid> nid{};  ///< then without `net` and `interface`
};
/// `net set`: of the NI with the NID, or of all NIs, its health and those of its driver's tunables
/// that can change while it runs; and of a net, the time-out of its driver.
struct SetNi {
  std::optional<Nid> nid{};
  std::optional<std::int32_t> health{};
  LndTunables tunables{};
  std::optional<NetId> net{};
  std::optional<std::int32_t> lnd_timeout{};  ///< of `net`, s; 0: use the global value
};

/// `peer add`: makes the peer, or adds NIDs to it. core::call::PeerAdd has the errors. -EBUSY: the
/// peer is the gateway of a route.
using AddPeer = PeerItem;
/// `peer del`: deletes some NIDs of the peer, or the whole peer when `nids` is empty or names its
/// primary NID. core::call::PeerDel has the errors. -EBUSY also: the peer is the gateway of a
/// route.
struct DelPeer {
  Nid primary;
  std::vector<Nid> nids{};
  bool force = false;  ///< deletes a locked primary NID too, which stays otherwise
};
/// `peer set`: the health of a peer NI, or of all without `nid`; and the state bits of the peer
/// that has `nid`, for tests and debugging. -ENOENT: no such peer NI.
struct SetPeer {
  std::optional<Nid> nid{};
  std::optional<std::int32_t> health{};
  std::optional<std::uint32_t> state{};
};

/// Names of the `global` section or of `lnetctl set`, set in this order until one fails.
struct SetGlobals {
  std::vector<std::pair<std::string, std::int64_t>> values;
};
/// Module parameters of the running node, set in this order until one fails. -EBUSY: only the start
/// reads this parameter.
struct SetParams {
  std::vector<std::pair<std::string, std::string>> values;
};

/// `udsp add`: before the policy at `idx`, else at the end. -EALREADY: the list has this policy.
struct AddPolicy {
  core::udsp::Rule rule;
  std::optional<std::int64_t> idx{};
};
/// `udsp del`: the policy at `idx`, else all. -ENOENT: there is no such policy.
struct DelPolicy {
  std::optional<std::int64_t> idx{};
};
/// Replaces all policies.
struct SetPolicies {
  std::vector<core::udsp::Rule> rules;
};
/// add_selection() and del_selection() (lnet/config/selection.h) on the node's policies.
struct AddSelection {
  Selection selection;
};
struct DelSelection {
  Selection match;
  std::optional<std::int64_t> id{};
};

/// `route add`: adds all of the routes or none, each at a random place among the routes to its net.
/// Skips those routes that nodes of a site share and that are not for this node
/// (RouteItem::shared); if one of these names a NID of this node as its gateway, and the module
/// parameter `forwarding` is empty, this node routes. -EINVAL: a gateway on the net itself, an
/// invalid net, NID or number of hops; -EEXIST: the net is local, or the route exists;
/// -EHOSTUNREACH: no NI on the gateway's net; -E2BIG: too many.
struct AddRoutes {
  std::vector<RouteItem> routes;
};
/// `route del`: deletes those of the routes that exist; only net and gateway count. -ENOENT: the
/// first of those that do not exist, if its gateway is a peer.
struct DelRoutes {
  std::vector<core::Route> routes;
};
/// `set routing`, and `set tiny_buffers` and its like. -EBUSY: routing is being turned off.
struct SetRouting {
  std::optional<bool> on{};
  /// The numbers of tiny, small and large buffers; 0: the default.
  std::array<std::optional<std::int64_t>, 3> buffers{};
};

/// `fault drop|delay add`: adds the rule before all other rules of its kind. If the rule has no
/// seed, the node draws one. -EINVAL: core::settled() says why; -ENOSPC: too many.
struct AddFault {
  core::FaultRule rule;  ///< in and out: the rule as it is in force
};
/// `fault drop|delay del`: deletes the rules with exactly this source and destination; null: any.
/// -ENOENT: there is no such rule.
struct DelFault {
  core::FaultRule::Kind kind = core::FaultRule::Kind::kDrop;
  std::optional<core::FaultNids> source{}, destination{};
  std::size_t gone = 0;  ///< out: the number of rules deleted
};
/// `fault drop|delay reset`: sets the counters of all rules of the kind to 0.
struct ResetFaults {
  core::FaultRule::Kind kind = core::FaultRule::Kind::kDrop;
};
/// `stats reset`.
struct ResetStats {};

}  // namespace change

using Change =
    std::variant<change::AddNi, change::DelNi, change::SetNi, change::AddPeer, change::DelPeer,
                 change::SetPeer, change::SetGlobals, change::SetParams, change::AddPolicy,
                 change::DelPolicy, change::SetPolicies, change::AddSelection, change::DelSelection,
                 change::AddRoutes, change::DelRoutes, change::SetRouting, change::AddFault,
                 change::DelFault, change::ResetFaults, change::ResetStats>;

}  // namespace ulnet::conf
