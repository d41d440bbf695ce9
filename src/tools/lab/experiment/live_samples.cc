#include "tools/lab/experiment/live_samples.h"

#include "ctl/tree_fields.h"

namespace ulnet::tools::lab {

LiveSamples::LiveSamples(const Experiment& experiment, const Laboratory& lab)
    : experiment_(experiment), lab_(lab), intervals_(experiment.loads.size()) {}
LiveSamples::~LiveSamples() = default;

/// LNet's own counters of a server: the payload that came in, or went out for a read. A ping is a
/// message that came in.
LiveSamples::Counter LiveSamples::counter_of(NodeNumber node, ExperimentLoad::What what) {
  Counter& last = last_[node];
  if (look_at(lab_, node).life != Life::kRunning) return last;  // its door would hold us up
  auto& door = doors_[node];
  if (door == nullptr)
    if (auto opened = door_of(lab_, node)) door = std::move(*opened);
  if (door == nullptr) return last;
  const auto answer = door->get("/v1/stats");
  if (!answer) {
    door.reset();
    return last;
  }
  const ctl::Tree& stats = ctl::field_in(*answer, "statistics");
  const bool read = what == ExperimentLoad::What::kRead;
  last.bytes = stats.value(read ? "send_length" : "recv_length", last.bytes);
  last.messages = stats.value("recv_count", last.messages);
  return last;
}

void LiveSamples::take(Duration now) {
  for (LoadNumber i = 0; i < experiment_.loads.size(); ++i) {
    const ExperimentLoad& load = experiment_.loads[i];
    Interval interval{.from = before_, .to = now};
    for (const NodeNumber node : load.to) {
      const Counter before = last_[node];
      const Counter after = counter_of(node, load.what);
      // Counters begin anew when somebody resets them.
      interval.bytes += after.bytes - std::min(before.bytes, after.bytes);
      interval.operations += after.messages - std::min(before.messages, after.messages);
    }
    if (load.size != 0) interval.operations = interval.bytes / load.size;
    if (begun_) intervals_[i].push_back(interval);
  }
  before_ = now;
  begun_ = true;
}

}  // namespace ulnet::tools::lab
