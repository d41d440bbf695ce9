// The runtime files as text. Source: spec/core-semantics.md 16. Those of the CPU partitions come
// from cpt::Table.
#pragma once

#include <string>

#include "node/node.h"
#include "node/state.h"

namespace ulnet::node::control {

std::string stats_file(const NodeState& state);
std::string nis_file(const NodeState& state);
std::string peers_file(const NodeState& state);
std::string routes_file(core::RoutingState state, const core::call::ShowRoutes& shown);
/// `state` has the gateways among its peers.
std::string routers_file(const core::call::ShowRoutes& shown, const NodeState& state);
std::string buffers_file(const Node::RoutingShow& shown);
/// Source: spec/core-semantics.md 7.3.
std::string portal_rotor_file(const NodeState& state);

}  // namespace ulnet::node::control
