// Changes that administrators make to a random world while it runs (admin.h).
#pragma once

#include <optional>
#include <string>

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

class AdminDraw {
 public:
  /// Both references must outlive it. `ends`: the number of nodes that are not routers; 0: there
  /// are no routers. The loads take about `busy`.
  AdminDraw(Dice& dice, Scenario& scenario, NodeNumber ends, Duration busy)
      : dice_(dice), scenario_(scenario), ends_(ends), busy_(busy) {}

  // Each function adds changes to some worlds.
  /// Settings, and the health of NIs and of peers' NIs.
  void settings();
  /// Selection policies of every kind that LNet has, also in worlds where nothing may fail.
  void policies();
  /// Routes are deleted and added again, or other routes are added.
  void routes();
  /// The routing of routers is turned off and on again; sometimes the routing of a node that no
  /// route uses is turned on.
  void routing();
  /// Peers are configured, before messages flow or while they do.
  void peers();

 private:
  std::uint64_t some() { return 1 + dice_.below(dice_.often(30) ? 30 : 6); }
  Act change();
  void add(Act act, AdminChange change);
  const NodeSetup& any_node();
  const NodeSetup& any_router();
  const Nid& any_nid(const NodeSetup& node);
  std::string pattern(const Nid& nid, bool of_net);
  AdminChange setting(const NodeSetup& node, const NodeSetup& other);
  AdminChange policy(const NodeSetup& node);
  std::optional<AdminChange> route(const NodeSetup& node);
  AdminChange peer(const NodeSetup& other);
  void check_quickly();

  Dice& dice_;
  Scenario& scenario_;
  const NodeNumber ends_;
  const Duration busy_;
};

}  // namespace ulnet::sim
