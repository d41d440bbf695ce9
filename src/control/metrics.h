// The node's numbers as Prometheus text. Names are ulnet_ + LNet's own word (+ _total for
// counters), so that users of `stats show` recognise them.
#pragma once

#include <string>

#include "control/counters.h"
#include "node/state.h"

namespace ulnet::node::control {

struct MetricsSource {
  const NodeState* state = nullptr;  ///< null: LNet is not configured
  const DoorCounters& door;
  std::string version;
};
/// The text of one scrape. It has sums over all peers, but no counters of single peers, of which
/// there may be tens of thousands.
std::string metrics_text(const MetricsSource& source);

}  // namespace ulnet::node::control
