// The figures of a laboratory's picture, from the control APIs of its nodes: bytes of rails, and
// which parts are down.
#pragma once

#include <vector>

#include "lab/topology/picture.h"
#include "lab/view/observation.h"

namespace ulnet::tools::lab {

/// Returns the figures of `topology`, which must have addresses. `nodes` are found by their names;
/// a node that is not up is only marked as such.
Figures figures_of(const Topology& topology, const std::vector<ObservedNode>& nodes);

}  // namespace ulnet::tools::lab
