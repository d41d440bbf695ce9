// The runtime files as text. Source: spec/core-semantics.md 16. Those of the CPU partitions come
// from cpt::Table.
#pragma once

#include <string>

#include "node/state.h"

namespace ulnet::node::control {

std::string stats_file(const NodeState& state);
std::string nis_file(const NodeState& state);
std::string peers_file(const NodeState& state);
/// Source: spec/core-semantics.md 7.3.
std::string portal_rotor_file(const NodeState& state);

}  // namespace ulnet::node::control
