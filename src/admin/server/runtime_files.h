// The runtime files as text. Source: spec/core-semantics.md 16. cpt::Table makes those of the CPU
// partitions.
#pragma once

#include <string>

#include "admin/server/pieces.h"
#include "lnet/node/node.h"
#include "lnet/node/runtime/state.h"

namespace ulnet::node::control {

std::string stats_file(const NodeState& state);
std::string nis_file(const NodeState& state);
void write_peers_file(Pieces& to, Node& node);
void write_routes_file(Pieces& to, core::RoutingState state, const core::call::ShowRoutes& shown);
void write_routers_file(Pieces& to, const core::call::ShowRoutes& shown, Node& node);
std::string buffers_file(const Node::RoutingShow& shown);
/// Source: spec/core-semantics.md 7.3.
std::string portal_rotor_file(const NodeState& state);

}  // namespace ulnet::node::control
