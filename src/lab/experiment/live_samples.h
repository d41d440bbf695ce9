// Measures the traffic of the loads' servers by the control API of each node. So it does not matter
// whether messages get through the network under test.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "lab/experiment/experiment.h"
#include "lab/experiment/measured.h"
#include "lab/live/nodes.h"

namespace ulnet::tools::lab {

class LiveSamples {
 public:
  /// Both must outlive this object.
  LiveSamples(const Experiment& experiment, const Laboratory& lab);
  ~LiveSamples();

  /// Reads all counters at `now`, measured from the experiment's begin, and ends an interval. The
  /// first call only begins one. A node that is paused, or does not answer, counts as having moved
  /// nothing.
  void take(Duration now);
  const std::vector<Interval>& intervals(LoadNumber load) const { return intervals_[load]; }

 private:
  /// LNet's own counters: payload in bytes, and messages that came in.
  struct Counters {
    std::uint64_t received = 0, sent = 0, messages = 0;
  };
  Counters read(NodeNumber node, const Counters& last);

  const Experiment& experiment_;
  const Laboratory& lab_;
  std::map<NodeNumber, std::unique_ptr<ctl::ControlClient>> clients_;
  std::map<NodeNumber, Counters> last_;  ///< for every server of a load
  std::vector<std::vector<Interval>> intervals_;
  Duration before_{};
  bool begun_ = false;
};

}  // namespace ulnet::tools::lab
