// The traffic of nodes, computed from two samples of their counters. Source: spec/cli-lst.md 6,
// spec/wire-selftest.md 3.6.
#pragma once

#include <string>
#include <vector>

#include "selftest/ulst/console_client.h"

namespace ulnet::tools::lst {

/// One direction of the traffic of a node, or of all nodes: received or sent.
struct Way {
  double messages = 0;  ///< per second
  double bytes = 0;     ///< per second
};
struct NodeRates {
  Way received, sent;
};

struct Sample {
  std::vector<std::string> ids;  ///< in the order of the target
  std::vector<NodeRates> rates;  ///< of the nodes that answered in both samples
  std::size_t failed = 0;        ///< how many nodes did not answer in both samples
  bool changed = false;          ///< the two samples are from different nodes
};

/// Computes the rates between two answers of the console's `stat`. Each node's rate uses the node's
/// own clock.
Sample rates_between(const Tree& earlier, const Tree& later);

/// The least, the greatest and the mean value over the nodes of a sample. A minimum of 0 counts as
/// not set.
struct Summary {
  double average = 0, least = 0, most = 0;
};
Summary summarize(const std::vector<double>& values);

}  // namespace ulnet::tools::lst
