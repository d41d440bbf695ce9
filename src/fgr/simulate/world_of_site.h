// The nodes, switches and links of a site in the simulator.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"
#include "fgr/simulate/file_placement.h"
#include "fgr/simulate/losses.h"
#include "sim/world/world.h"

namespace ulnet::tools::fgr {

/// Which routes hosts of a simulation have. They get secondary routes to a group only if a router
/// of the group may be lost: otherwise these routes would never be used and only take memory.
struct RoutesOfHosts {
  /// The most routes of one hop count to a net at a client, drawn at random.
  std::size_t of_client = SIZE_MAX;
  Lost lost;         ///< the parts that may be lost in the simulation
  bool all = false;  ///< for comparison: adds the secondary routes that are never used
};

/// Routers, OSSs and clients are nodes. MGS and MDS are left out, because they move no payload.
/// Each file system has a core switch, and links lead to it from the switches of its servers and
/// routers; file systems that share a switch share the core as well. An OSS is connected to its
/// switch by a link of its own rate; a router sends at its rate on each side. Clients have no rate
/// of their own.
class WorldOfSite {
 public:
  struct Oss {
    HostPlace place;
    sim::SimNode* node = nullptr;
    std::vector<ProcessId> clients;  ///< the clients whose files the OSS has, once for each stripe
  };
  struct Isl {
    std::string at_switch;
    double gb_per_s = 0;
    sim::SwitchId leaf, core;
    sim::SwitchLinkId link;
  };

  /// `plan` and `world` must outlive this object. `transaction_timeout`: seconds. Runs the world
  /// for a while, so that the nodes have checked their gateways.
  WorldOfSite(const plan::Plan& plan, sim::World& world, const std::vector<PlacedFile>& files,
              const RoutesOfHosts& routes, std::int32_t transaction_timeout);

  const std::vector<Oss>& osss() const { return osss_; }
  const std::vector<sim::SimNode*>& clients() const { return clients_; }
  /// Returns the routers by client system, in the order of ClientSystem::routers.
  const std::vector<std::vector<sim::SimNode*>>& routers() const { return routers_; }
  const std::vector<Isl>& isls() const { return isls_; }
  /// Sets the share of its rate that each link carries from now on.
  void set_scale(double scale);
  /// Makes the hosts die and the cables carry nothing any more, and notifies the hosts' peers at
  /// once.
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
  void add_clients(const std::vector<PlacedFile>& files);
  void add_routers(std::size_t client);
  void add_osss();
  void add_oss(const plan::Group& group, std::size_t number, sim::SwitchId own);
  sim::SimNode& add(sim::NodeSetup setup);
  sim::SwitchLinkId join(sim::SwitchId a, sim::SwitchId b, double gb_per_s);
  struct Taken {
    std::size_t router;  ///< index in ClientSystem::routers
    std::int32_t hops;
  };
  std::vector<Taken> taken(const plan::GroupRouters& routers, std::size_t client, std::size_t most);
  std::shared_ptr<const core::RouteList> routes_to_servers(const PlacedFile& file);
  std::shared_ptr<const core::RouteList> routes_to_clients(const plan::Group& group);
  std::vector<std::size_t> in_any_order(std::vector<std::size_t> routers);
  Nid router_nid(std::size_t client, std::size_t router) const;

  const plan::Plan& plan_;
  sim::World& world_;
  const RoutesOfHosts routes_;
  const core::Globals globals_;
  Rng rng_;
  std::vector<Isl> isls_;
  std::vector<sim::SwitchId> cores_;         ///< by file system
  std::vector<std::uint32_t> first_router_;  ///< on the clients' side, by client system
  std::uint32_t next_address_;               ///< on the clients' side
  std::vector<sim::SimNode*> clients_;
  std::vector<std::vector<sim::SimNode*>> routers_;         ///< by client system
  std::map<HostPlace, std::vector<ProcessId>> clients_of_;  ///< by OSS
  std::map<HostPlace, sim::SwitchId> oss_switches_;
  std::vector<Oss> osss_;
  std::vector<Sender> senders_;
  std::vector<Joint> joints_;
};

}  // namespace ulnet::tools::fgr
