// Changes that an administrator makes to a running node, as ulnetctl does, and how each is undone.
// Source: spec/multirail.md 2.2, 5.1, 9.1, 9.2, 10, 12.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "lnet/base/rng.h"
#include "lnet/config/params.h"
#include "lnet/core/contract/api.h"
#include "lnet/core/contract/route_list.h"
#include "lnet/core/udsp/rule.h"

namespace ulnet::sim {

class SimNode;
struct NodeSetup;

/// `set`. Undone by setting the value that the scenario gives the node.
struct SetGlobal {
  const conf::GlobalSetting* setting = nullptr;
  std::int32_t value = 0;
};
/// `net set --health`, or `peer set --health`. Recovery undoes it, or, where the sensitivity is 0,
/// the same command with the full health.
struct SetHealth {
  Nid nid;  ///< any: all NIs
  bool of_peer = false;
  std::int32_t value = 0;
};
/// `udsp add`. Undone by deleting the rule, or by giving it its previous priority.
struct AddPolicy {
  core::udsp::Rule rule;  ///< the rule is settled()
  std::optional<std::size_t> idx;
};
/// `route add`. Undone by deleting the route, or by adding that of the scenario.
struct AddRoute {
  core::Route route;
};
/// `route del`. Undone by adding the route as it is in the scenario.
struct DelRoute {
  NetId net;
  Nid gateway;
};
/// `set routing`. Undone by setting the previous state.
struct SetRouting {
  bool on = false;
};
/// `peer add`. Undone by deleting the peer, unless messages to it are under way.
struct AddPeer {
  core::call::PeerAdd peer;
};

using AdminChange =
    std::variant<SetGlobal, SetHealth, AddPolicy, AddRoute, DelRoute, SetRouting, AddPeer>;
/// One word for each, as scenarios and tables write it, by its place in the variant.
inline constexpr std::array kAdminWords = {"setting",   "health",  "policy",  "route-add",
                                           "route-del", "routing", "peer-add"};
static_assert(kAdminWords.size() == std::variant_size_v<AdminChange>);

/// Undoes a change. False: that is not possible yet, because the node is paused, its routing is
/// being turned off, another setting does not allow it, its NIs on the net of the route's gateway
/// are gone, or messages name the peer that is to be deleted. The caller then tries again.
using TakeBack = std::function<bool(SimNode&)>;

/// `given` is the setup that the scenario gives the node: changes may overlap, so the value that
/// one change finds may come from another change. Null: nothing has changed, because the node is
/// not up, refuses, or already has that value.
TakeBack carry_out(SimNode& node, const AdminChange& change, const NodeSetup& given, Rng& rng);

}  // namespace ulnet::sim
