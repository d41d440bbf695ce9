#include "sim/checkers/router_queues.h"

#include <algorithm>

namespace ulnet::sim {

std::string RouterQueues::look(const core::ShardState& state) {
  std::map<std::string, Waiting> now;
  const auto note = [&](const core::Gate& gate, const std::string& name) {
    if (gate.waiting() == 0) return;
    for (const core::Msg& msg : gate.queue()) now[name].push_back(msg.self);
  };
  state.peers.for_each_ni([&](const core::PeerNi& ni) {
    if (const core::Gate* gate = state.peers.router_gate(ni))
      note(*gate, "router credits of " + ni.nid.to_string());
  });
  for (const auto kind :
       {core::RouterPools::kTiny, core::RouterPools::kSmall, core::RouterPools::kLarge})
    note(state.pools[kind].gate(), "router buffers " + std::to_string(kind));
  std::string wrong;
  for (const auto& [name, waiting] : now) {
    const std::string what = compare(state, queues_[name], waiting);
    if (!what.empty()) wrong = name + ": " + what;
  }
  queues_ = std::move(now);
  return wrong;
}

/// Compares a queue with the same queue at the last look, and returns what is wrong. The messages
/// that still wait must stand in front, in their former order. New messages must stand behind them.
/// A message that was served must have stood before all that still wait. A message that was dropped
/// may have left from any place.
std::string RouterQueues::compare(const core::ShardState& state, const Waiting& before,
                                  const Waiting& now) {
  Waiting stayed;
  for (const core::MsgTicket each : before) {
    const bool waits = std::find(now.begin(), now.end(), each) != now.end();
    if (waits) stayed.push_back(each);
    if (!waits && !stayed.empty() && state.find(each) != nullptr)
      return "served before one that waits longer";
  }
  const bool in_order = std::equal(stayed.begin(), stayed.end(), now.begin());
  return in_order ? std::string() : "waits out of order";
}

}  // namespace ulnet::sim
