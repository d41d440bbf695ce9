// What the doors of a laboratory's nodes say, as figures for its picture: bytes of rails, and what
// is down.
#pragma once

#include <vector>

#include "lab/topology/picture.h"
#include "lab/view/observation.h"

namespace ulnet::tools::lab {

/// The figures of `topology`, whose addresses are given. `nodes` are found by their names; of those
/// that are not up only that is known.
Figures figures_of(const Topology& topology, const std::vector<ObservedNode>& nodes);

}  // namespace ulnet::tools::lab
