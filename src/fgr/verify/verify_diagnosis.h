// The steps of diagnose() (fgr/verify/verify.h), and the state that they share. Each step names
// suspects, and marks hosts whose mistakes explain the observations of later steps.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fgr/verify/verify.h"

namespace ulnet::plan {

class Diagnosis {
 public:
  Diagnosis(const VerifyChecks& checks, const std::vector<HostSeen>& seen,
            const std::vector<SeenCable>& cables);
  VerifyVerdict run();

 private:
  using Kind = HostConfig::Kind;
  /// A ping between two hosts' ports: on the servers' fabric, or on the clients' net.
  struct Probe {
    std::size_t from = 0, to = 0;  ///< hosts
    bool fabric = false;
    const SeenPing* ping = nullptr;
  };
  /// A host, and whether its port on the servers' fabric is meant.
  using Port = std::pair<std::size_t, bool>;
  /// An address on one side of the site: 0 is the servers' fabric, 1 and on are the clients' nets.
  struct Place {
    std::size_t side = 0;
    Address address = 0;
    auto operator<=>(const Place&) const = default;
  };
  using Places = std::set<Place>;

  // verify_hosts.cc: interfaces, addresses, nets.
  void learn_nids();
  void judge_interfaces();
  std::vector<Nid> down_nids(std::size_t host) const;
  void accuse_interfaces(std::size_t host, const std::vector<Nid>& down,
                         std::vector<std::string> seen);
  void judge_addresses();
  bool is_foreign_site();
  void judge_addresses_of(std::size_t host);
  void judge_address(std::size_t host, std::size_t other, const Place& place);
  void judge_nets();
  void judge_nets_of(std::size_t host);
  void judge_client_addresses(std::size_t host);
  void judge_routing();
  std::optional<NetId> among_servers(std::size_t host) const;
  std::string group_remark(std::size_t host, const std::vector<NetId>& extra,
                           std::string& cause) const;
  Places planned_places(std::size_t host) const;
  Places real_places(std::size_t host) const;
  std::optional<Place> place_of(std::size_t host, const Nid& nid) const;

  // verify_routes.cc: the routes that hosts have.
  struct RouteMistakes {
    std::vector<HostRoute> missing, extra;
    /// planned route, and the hops that the host has
    std::vector<std::pair<HostRoute, int>> other_hops;
    std::vector<std::size_t> hosts;  ///< the hosts that have the same mistakes
    std::string words;
  };
  void judge_routes();
  RouteMistakes mistakes_of(std::size_t host) const;
  void describe(RouteMistakes& mistakes) const;
  void accuse_routes(const RouteMistakes& mistakes);
  std::optional<NetId> one_sided(const RouteMistakes& mistakes) const;
  bool lacks_all(std::size_t host, NetId net) const;
  std::string files_of(const std::vector<std::size_t>& hosts) const;
  std::set<NetId> silent_nets() const;
  bool nothing_answers_behind(std::size_t gateway, NetId net) const;
  void judge_route_states();

  // verify_pings.cc: which hosts answer which.
  void judge_direct_pings();
  /// Whether the NID is on the servers' fabric, and not on the clients' net.
  bool is_fabric(std::size_t host, const Nid& nid) const;
  bool accuse_silent_port(const std::vector<Probe>& probes);
  void judge_router_interfaces();
  bool is_down_by_itself(std::size_t router, const Nid& nid) const;
  bool all_are_down(std::size_t client_system) const;
  void accuse_port(std::size_t host, bool fabric, const std::vector<Probe>& probes);
  void accuse_links(std::vector<Probe>& failed, const std::vector<Probe>& all);
  void accuse_paths(std::vector<Probe> failed);
  void judge_answers();
  void judge_routed_pings();
  bool path_is_blamed(std::size_t client, std::size_t server) const;
  void judge_unasked();

  // verify_cables.cc: which host is plugged into which switch.
  void judge_cables();
  std::size_t fabric_addresses(std::size_t host) const;

  // Used by all steps.
  const VerifyHost& host(std::size_t index) const { return checks_.hosts[index]; }
  const HostConfig& config(std::size_t index) const {
    return checks_.configs[checks_.hosts[index].config];
  }
  std::string file_of(std::size_t host) const;
  /// Returns "router1": the name of the router or server with this NID; else the NID.
  std::string name_of(const Nid& nid) const;
  /// As VerifyChecks::owner_of(), but fast if one host has all of them.
  std::optional<std::size_t> owner_of(const std::vector<Nid>& nids) const;
  void accuse(VerifySuspect suspect) { verdict_.suspects.push_back(std::move(suspect)); }
  /// Notes that a suspect explains every failure at the host.
  void blame(std::size_t host) { direct_[host] = routed_[host] = true; }
  /// Notes that a suspect explains only those failures at the host whose messages pass routers.
  void blame_routes(std::size_t host) { routed_[host] = true; }

  const VerifyChecks& checks_;
  const std::vector<HostSeen>& seen_;
  const std::vector<SeenCable>& cables_;
  std::map<Nid, std::size_t> owners_;
  std::map<Place, std::size_t> place_owners_;
  std::vector<std::vector<Nid>> nids_;  ///< the NIDs that each host really has
  std::vector<char> known_;             ///< whether the NIDs of the host are known
  std::vector<char> direct_, lacks_routes_, routed_;
  /// pairs already reported; the smaller one first
  std::set<std::pair<std::size_t, std::size_t>> exchanged_;
  VerifyVerdict verdict_;
};

/// Returns at most `most` of the words, then how many more there are: "a, b and 7 more".
std::string few_of(const std::vector<std::string>& words, std::size_t most = 4);

}  // namespace ulnet::plan
