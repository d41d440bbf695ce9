// The view of a network in a terminal: `ulnet-lab top`.
#pragma once

#include <cstddef>
#include <string>

#include "lab/view/observer.h"

namespace ulnet::tools::lab {

struct TopSize {
  std::size_t columns = 80, rows = 24;
  bool colour = false;
};

/// Returns the text of a screen: how many nodes are up and the goodput
/// (ObservedNode::goodput_per_s), a line for each node with its NIs, routes and rates (nodes with
/// problems first), and the last happenings as far as there is room. Lines are cut at the screen's
/// width.
std::string top_text(const std::string& title, const Observer::Look& look, const TopSize& size);

}  // namespace ulnet::tools::lab
