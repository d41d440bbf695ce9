// What an administrator changes at a node while it runs, as ulnetctl does, and how it is taken
// back. Source: spec/multirail.md 2.2, 5.1, 9.1, 9.2, 10, 12.
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

/// `set`. Taken back by setting the value that the scenario gives the node.
struct SetGlobal {
  const conf::GlobalSetting* setting = nullptr;
  std::int32_t value = 0;
};
/// `net set --health`, or `peer set --health`. Recovery takes it back, or where the sensitivity is
/// 0 the same command with the full health.
struct SetHealth {
  Nid nid;  ///< any: all
  bool of_peer = false;
  std::int32_t value = 0;
};
/// `udsp add`. Taken back by deleting the rule, or by giving it the priority of before.
struct AddPolicy {
  core::udsp::Rule rule;  ///< it is settled()
  std::optional<std::size_t> idx;
};
/// `route add`. Taken back by deleting the route, or by adding that of the scenario.
struct AddRoute {
  core::Route route;
};
/// `route del`. Taken back by adding the route as it is in the scenario.
struct DelRoute {
  NetId net;
  Nid gateway;
};
/// `set routing`. Taken back by turning it to what it was.
struct SetRouting {
  bool on = false;
};
/// `peer add`. Taken back by deleting the peer, unless messages to it are under way.
struct AddPeer {
  core::call::PeerAdd peer;
};

using AdminChange =
    std::variant<SetGlobal, SetHealth, AddPolicy, AddRoute, DelRoute, SetRouting, AddPeer>;
/// In one word, as scenarios and tables write it, by its place in the variant.
inline constexpr std::array kAdminWords = {"setting",   "health",  "policy",  "route-add",
                                           "route-del", "routing", "peer-add"};
static_assert(kAdminWords.size() == std::variant_size_v<AdminChange>);

/// Takes a change back. False: that is not possible yet, because the node is paused, its routing is
/// being turned off, another setting does not allow it, its NIs on the net of the route's gateway
/// are gone, or messages name the peer that is to be deleted; the caller tries again.
using TakeBack = std::function<bool(SimNode&)>;

/// `given` is what the scenario gives the node: changes may overlap, so the value that one of them
/// finds may be that of another. Null: nothing has changed, because the node is not up, refuses, or
/// has it like that.
TakeBack carry_out(SimNode& node, const AdminChange& change, const NodeSetup& given, Rng& rng);

}  // namespace ulnet::sim
