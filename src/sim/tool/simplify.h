// Ways to make a scenario smaller or plainer, each as a function. Shrinking tries them (shrink.h);
// none of them depends on what fails.
#pragma once

#include <functional>
#include <vector>

#include "sim/scenario/scenario.h"

namespace ulnet::tools {

/// Changes the scenario. False: there is nothing to change, and the scenario is as before.
using Change = std::function<bool(sim::Scenario&)>;
/// Changes of which any may be made without the others. Those that delete are ordered by position:
/// a caller that makes several of them makes the last one first, so that the positions before it
/// stay valid.
using Changes = std::vector<Change>;

inline bool erase_at(auto& list, std::size_t at) {
  if (at >= list.size()) return false;
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}
/// Deletes an entry of a list, such as a load or an act.
template <class Entry>
Changes without_each(const sim::Scenario& scenario, std::vector<Entry> sim::Scenario::*list) {
  Changes changes;
  for (std::size_t i = 0; i < (scenario.*list).size(); ++i)
    changes.push_back([=](sim::Scenario& s) { return erase_at(s.*list, i); });
  return changes;
}
/// Deletes the node with its acts, links and routes, and from loads and selftests. Two nodes
/// remain.
Changes without_each_node(const sim::Scenario& scenario);
/// Deletes all NIs on a net, in every node. Each node keeps at least one NI.
Changes without_each_net(const sim::Scenario& scenario);
/// Deletes one NI of a node. Each node keeps at least one NI.
Changes without_each_ni(const sim::Scenario& scenario);
Changes without_each_route(const sim::Scenario& scenario);
/// Gives each setting of each node, of the links and of streams its default.
Changes defaults(const sim::Scenario& scenario);
/// Loads send one message at a time, of few or no bytes, as soon as they may.
Changes plainer_loads(const sim::Scenario& scenario);
/// Selftests have one client and one server, one RPC at a time, and pings.
Changes plainer_selftests(const sim::Scenario& scenario);
/// Old nodes do not change, have one NID, and exchange few or no bytes.
Changes plainer_old_nodes(const sim::Scenario& scenario);
/// Rounds every time of acts, loads, selftests, old nodes and links down to a multiple of `unit`. A
/// duration of less than `unit` stays as it is.
Changes rounder_times(const sim::Scenario& scenario, Duration unit);

}  // namespace ulnet::tools
