// The places of the parts of a topology's picture, for the page that draws them: the layout of
// `ulnet-lab draw`, as JSON.
#pragma once

#include "admin/client/control_api.h"
#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// `{"name", "about", "width", "height", "groups": [NAME], "lanes": [{"net", "number", "switch",
/// "label", "x", "y", "width", "height"}], "boxes": [{"title", "group", "folded", "columns",
/// "routing", "nodes": [NAME], "x", "y", "width", "height"}], "rails": [{"names": ["client1:0"],
/// "nids": [NID], "wires": ["1gbit, 100us"],
/// "box", "lane", "x1", "y1", "x2", "y2"}], "switch links": [{"name",
/// "between": [SWITCH, SWITCH], "wire"}]}`. Lengths
/// are pixels from the upper left corner.
ctl::Tree layout_tree(const Topology& topology);

}  // namespace ulnet::tools::lab
