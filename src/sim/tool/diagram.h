// Draws what happened in a world as a sequence diagram, in SVG: a lifeline per node, an arrow per
// message with its type, portal and length, losses marked, faults as bands, the time at the left.
// Time is in order but not to scale: every event has a row. The file needs no other files and no
// scripts.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/timeline.h"

namespace ulnet::tools {

struct DiagramText {
  std::string title, subtitle;  ///< what was run, and how it ended
};

/// `names` are the nodes' names, by number. A node without messages, events or faults has no
/// lifeline.
std::string diagram(const sim::Timeline& timeline, const std::vector<sim::Breach>& breaches,
                    const std::vector<std::string>& names, const DiagramText& text);

}  // namespace ulnet::tools
