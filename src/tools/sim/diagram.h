// A sequence diagram of what happened in a world, as SVG: a lifeline per node, an arrow per message
// with its type, portal and length, losses marked, faults as bands, time at the left. Time is in
// order and not to scale: every event has a row of its own. Self-contained, without scripts.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/chronicle.h"

namespace ulnet::tools {

struct DiagramText {
  std::string title, subtitle;  ///< what and how it ended
};

/// `names` are those of the nodes, by number. Only nodes that something happened to have a
/// lifeline.
std::string diagram(const sim::Chronicle& chronicle, const std::vector<sim::Breach>& breaches,
                    const std::vector<std::string>& names, const DiagramText& text);

}  // namespace ulnet::tools
