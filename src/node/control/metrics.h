// The node's numbers as Prometheus text. Names are ulnet_ + LNet's own word (+ _total for what only
// grows), so that who knows `stats show` finds them.
#pragma once

#include <string>

#include "node/control/counters.h"
#include "node/state.h"

namespace ulnet::node::control {

struct MetricsSource {
  const NodeState* state = nullptr;  ///< null: LNet is not configured
  const DoorCounters& door;
  std::string version;
};
/// A scrape. Counters of single peers are not in it (there may be tens of thousands); sums over
/// peers are.
std::string metrics_text(const MetricsSource& source);

}  // namespace ulnet::node::control
