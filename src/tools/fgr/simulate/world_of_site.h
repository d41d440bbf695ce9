// The nodes, switches and links of a site in the simulator.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "sim/kernel/world.h"
#include "tools/fgr/simulate/losses.h"

namespace ulnet::tools::fgr {

/// Routers and OSSs are nodes; some client nodes stand for all clients of a system. MGS and MDS are
/// not there: they move no payload. Each file system has a core switch, to which links lead from
/// the switches of its servers and routers; those that share a switch share the core as well. An
/// OSS hangs on its switch by a link of its own rate; a router sends at its rate on each side.
class WorldOfSite {
 public:
  struct Oss {
    HostPlace place;
    sim::SimNode* node = nullptr;
    std::vector<sim::SimNode*> clients;  ///< that have routes to it
  };
  struct Isl {
    std::string at_switch;
    double gb_per_s = 0;
    sim::SwitchId leaf, core;
    sim::SwitchLinkId link;
  };

  /// Both must outlive it. `client_nodes`: of each client system.
  /// `transaction_timeout`: seconds. The world runs for a while, so
  /// that the nodes have asked their gateways whether they are there.
  WorldOfSite(const plan::Plan& plan, sim::World& world, std::uint32_t client_nodes,
              std::int32_t transaction_timeout);

  const std::vector<Oss>& osss() const { return osss_; }
  const std::vector<Isl>& isls() const { return isls_; }
  /// From now on all carry this share of their rates.
  void set_scale(double scale);
  /// The hosts die, the cables carry nothing any more, and whoever talks to them is told at once.
  void lose(const Lost& lost);

 private:
  struct Sender {
    sim::Place place;
    double gb_per_s = 0;
  };
  struct Joint {
    sim::SwitchLinkId link;
    double gb_per_s = 0;
  };

  void add_switches();
  void add_cores();
  std::optional<sim::SwitchId> switch_of(std::size_t file_system, const std::string& name) const;
  void add_leaves();
  void add_clients(std::size_t client);
  void add_routers(std::size_t client);
  void add_osss();
  void add_oss(const plan::Group& group, std::size_t number, sim::SwitchId own);
  sim::SimNode& add(sim::NodeSetup setup);
  sim::SwitchLinkId join(sim::SwitchId a, sim::SwitchId b, double gb_per_s);
  std::shared_ptr<const core::RouteList> routes_to_servers(std::size_t client);
  std::shared_ptr<const core::RouteList> routes_to_clients(const plan::Group& group);
  void add_route(core::RouteList& routes, const core::Route& route, std::size_t known);
  Nid client_side(std::size_t client, std::uint32_t number) const;
  bool served(const plan::Group& group) const;

  const plan::Plan& plan_;
  sim::World& world_;
  const std::uint32_t client_nodes_;
  const core::Globals globals_;
  Rng rng_;
  std::vector<Isl> isls_;
  std::vector<sim::SwitchId> cores_;          ///< by file system
  std::vector<std::uint32_t> first_address_;  ///< on the clients' side, by client system
  std::vector<std::vector<sim::SimNode*>> clients_, routers_;  ///< by client system
  std::map<HostPlace, sim::SwitchId> oss_switches_;
  std::vector<Oss> osss_;
  std::vector<Sender> senders_;
  std::vector<Joint> joints_;
};

}  // namespace ulnet::tools::fgr
