// The runtime files `stats`, `nis` and `peers` as text. Source: spec/core-semantics.md 16.
#pragma once

#include <string>

#include "node/state.h"

namespace ulnet::node::control {

std::string stats_file(const NodeState& state);
std::string nis_file(const NodeState& state);
std::string peers_file(const NodeState& state);

}  // namespace ulnet::node::control
