// The runtime files as text. Source: spec/core-semantics.md 16; those of the CPU partitions are
// cpt::Table's.
#pragma once

#include <string>

#include "node/state.h"

namespace ulnet::node::control {

std::string stats_file(const NodeState& state);
std::string nis_file(const NodeState& state);
std::string peers_file(const NodeState& state);
/// 7.3.
std::string portal_rotor_file(const NodeState& state);

}  // namespace ulnet::node::control
