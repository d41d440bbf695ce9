#include "lab/experiment/live_samples.h"

#include <algorithm>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lab {

LiveSamples::LiveSamples(const Experiment& experiment, const Laboratory& lab)
    : experiment_(experiment), lab_(lab), intervals_(experiment.loads.size()) {
  for (const ExperimentLoad& load : experiment.loads)
    for (const NodeNumber node : load.to) last_.try_emplace(node);
}
LiveSamples::~LiveSamples() = default;

LiveSamples::Counters LiveSamples::read(NodeNumber node, const Counters& last) {
  // waiting for the node's control API would delay the sample
  if (look_at(lab_, node).run_state != RunState::kRunning) return last;
  auto& client = clients_[node];
  if (client == nullptr)
    if (auto opened = control_client(lab_, node)) client = std::move(*opened);
  if (client == nullptr) return last;
  const auto answer = client->get("/v1/stats");
  if (!answer) {
    client.reset();
    return last;
  }
  const ctl::Tree& stats = ctl::field_in(*answer, "statistics");
  const auto number = [&](const char* name, std::uint64_t before) {
    const ctl::Tree& said = ctl::field_in(stats, name);
    return said.is_number_unsigned() ? said.get<std::uint64_t>() : before;
  };
  return {number("recv_length", last.received), number("send_length", last.sent),
          number("recv_count", last.messages)};
}

// Reads each node once, because several loads may have it as a server, one after the other.
void LiveSamples::take(Duration now) {
  const auto before = last_;
  for (auto& [node, counters] : last_) counters = read(node, counters);
  for (LoadNumber i = 0; begun_ && i < experiment_.loads.size(); ++i) {
    const ExperimentLoad& load = experiment_.loads[i];
    const auto bytes =
        load.what == ExperimentLoad::What::kRead ? &Counters::sent : &Counters::received;
    Interval interval{.from = before_, .to = now};
    for (const NodeNumber node : load.to) {
      const Counters &from = before.at(node), &to = last_.at(node);
      // When somebody resets counters, they begin at 0 again.
      interval.bytes += to.*bytes - std::min(from.*bytes, to.*bytes);
      interval.operations += to.messages - std::min(from.messages, to.messages);
    }
    if (load.size != 0) interval.operations = interval.bytes / load.size;
    intervals_[i].push_back(interval);
  }
  before_ = now;
  begun_ = true;
}

}  // namespace ulnet::tools::lab
