// A healthy site gives no suspect, and each single mistake gives exactly its own suspect, even if
// pings are lost by chance and routers are gone for a while: 50 runs of each, with fixed seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <regex>

#include "fgr/verify/simulated_hosts_fixture.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kRuns = 50;

/// A site that gets one mistake.
class Planting {
 public:
  explicit Planting(std::uint64_t seed) : rng_(seed), site_(fresh_site(rng_)) {
    for (const VerifyHost& host : site_.checks().hosts) {
      if (host.at_switch.empty()) continue;
      const auto number = static_cast<std::uint32_t>(cables_.size() + 1);
      cables_.push_back(
          {host.name, "guid of " + host.name, "guid of " + host.at_switch, "", number});
    }
  }

  RealSite& site() { return site_; }
  const std::vector<SeenCable>& cables() const { return cables_; }
  SeenCable& cable(const std::string& host) {
    return *std::ranges::find(cables_, host, &SeenCable::host);
  }
  std::size_t below(std::size_t bound) { return rng_.below(bound); }
  bool toss() { return below(2) == 0; }
  template <class T>
  T& any(std::vector<T>& of) {
    return of[below(of.size())];
  }
  /// The name of any host for which this is true.
  std::string any_that(const std::function<bool(const VerifyHost&)>& is) {
    std::vector<std::string> names;
    for (const VerifyHost& host : site_.checks().hosts)
      if (is(host)) names.push_back(host.name);
    return any(names);
  }
  std::string any_server() { return any_that(kIsServer); }
  std::string any_router() { return any_that(kIsRouter); }
  std::string any_of_the_fabric() {
    return any_that([](const VerifyHost& host) { return !host.is(HostKind::kClients); });
  }
  /// An OSS, because it is in one group.
  std::string any_oss() {
    return any_that(
        [](const VerifyHost& host) { return kIsServer(host) && host.fabrics.front().num > 6000; });
  }
  std::string any_with_routes() {
    return any_that([](const VerifyHost& host) { return !kIsRouter(host); });
  }
  const VerifyHost& planned(const std::string& name) {
    return site_.checks().hosts[*site_.checks().find(name)];
  }
  std::vector<std::string> names_that(const std::function<bool(const VerifyHost&)>& is) {
    std::vector<std::string> names;
    for (const VerifyHost& host : site_.checks().hosts)
      if (is(host)) names.push_back(host.name);
    return names;
  }
  /// Changes the host's address on this group's net to one on another.
  void move(const std::string& host, NetId from, int to) {
    for (Nid& nid : site_[host].nids)
      if (nid.net() == from)
        nid = Nid::small({NetType::kO2ib, static_cast<std::uint16_t>(to)}, nid.address4());
  }

  static bool kIsServer(const VerifyHost& host) { return host.is(HostKind::kServer); }
  static bool kIsRouter(const VerifyHost& host) { return host.is(HostKind::kRouter); }

 private:
  static const RealSite& fresh_site(Rng& rng) {
    static const RealSite kSites[] = {RealSite(paper_site()),
                                      RealSite(paper_site_with_net_among_servers())};
    return kSites[rng.below(2)];
  }

  Rng rng_;
  RealSite site_;
  std::vector<SeenCable> cables_;
};

/// Plants one mistake, and returns the expected suspect.
using Plant = std::function<std::string(Planting&)>;

Nid with_address(const Nid& nid, Address address) { return Nid::small(nid.net(), address); }

std::string exchange(Planting& at) {
  const bool routers = at.toss();
  std::string one = routers ? at.any_router() : at.any_server(), other = one;
  while (other == one) other = routers ? at.any_router() : at.any_server();
  if (*at.site().checks().find(one) > *at.site().checks().find(other)) std::swap(one, other);
  std::swap(at.site()[one].nids, at.site()[other].nids);
  if (routers) std::swap(at.site()[one].nids[0], at.site()[other].nids[0]);
  return fmt::format("cable exchanged: {} {}", one, other);
}

std::string plug_elsewhere(Planting& at) {
  const std::string name = at.any_of_the_fabric();
  SeenCable& cable = at.cable(name);
  cable.switch_guid = cable.switch_guid == "guid of left0" ? "guid of right0" : "guid of left0";
  return "cable wrong-switch: " + name;
}

std::string cut(Planting& at) {
  const std::string name = at.any_of_the_fabric();
  if (Planting::kIsRouter(at.planned(name)) && at.toss())
    at.site()[name].clients_cut = true;
  else
    at.site()[name].cut = true;
  return "cable unreachable: " + name;
}

std::string cut_path(Planting& at) {
  // Uses an OSS and a router of its group, because routers for metadata ping only metadata servers.
  const std::string oss = at.any_oss();
  const std::string router = at.any_that([&](const VerifyHost& host) {
    return Planting::kIsRouter(host) &&
           std::ranges::find(host.fabrics, at.planned(oss).fabrics.front()) != host.fabrics.end();
  });
  at.site().cut_path(router, oss);
  return fmt::format("cable path: {} {}", router, oss);
}

std::string lose_some(Planting& at) {
  const std::string oss = at.any_oss();
  auto routers = at.names_that([&](const VerifyHost& host) {
    return Planting::kIsRouter(host) &&
           std::ranges::find(host.fabrics, at.planned(oss).fabrics.front()) != host.fabrics.end();
  });
  const std::size_t lost = 2 + at.below(routers.size() - 2);
  for (std::size_t i = 0; i < lost; ++i) at.site().cut_path(routers[i], oss);
  return "port unreliable: " + oss;
}

std::string stand_in(Planting& at) {
  const std::string name = at.any_server();
  at.site()[name].dead = true;
  at.site().stand_in(name, *Nid::parse("10.77.0.1@o2ib9"));
  return "cable other-host-answers: " + name;
}

std::string take_interface(Planting& at) {
  const std::string name = at.any_of_the_fabric();
  RealSite::Host& host = at.site()[name];
  host.down.insert(at.any(host.nids));
  return "port ni-down: " + name;
}

std::string kill(Planting& at) {
  const std::string name = at.any_of_the_fabric();
  at.site()[name].dead = true;
  return "host dead: " + name;
}

std::string address_twice(Planting& at) {
  const std::string name = at.any_oss();
  std::string other = name;
  while (other == name) other = at.any_oss();
  at.site()[name].nids = at.site()[other].nids;
  return fmt::format("host duplicate-address: {} {}", name, other);
}

std::string address_of_nobody(Planting& at) {
  const std::string name = at.any_of_the_fabric();
  for (Nid& nid : at.site()[name].nids) nid = with_address(nid, nid.address4() + 0x1000000);
  return "host wrong-address: " + name;
}

std::string renumber_all(Planting& at) {
  const auto names =
      at.names_that([](const VerifyHost& host) { return !host.is(HostKind::kClients); });
  for (const std::string& name : names)
    for (Nid& nid : at.site()[name].nids) nid = with_address(nid, nid.address4() + 0x1000000);
  // The new address may happen to be another host's.
  const Nid other = RealSite()[names.front()].nids.back();
  Nid& last = at.site()[names.back()].nids.back();
  if (at.toss()) last = with_address(last, other.address4());
  return fmt::format("file other-site: {}", fmt::join(names, " "));
}

std::string forward_nothing(Planting& at) {
  const std::string name = at.any_router();
  at.site()[name].forwards = false;
  return "host routes-down: " + name;
}

std::string unreached(Planting& at) {
  const std::string name = at.any_server();
  at.site()[name].routes.clear();
  at.site()[name].asked = false;
  return "host not-reached: " + name;
}

std::string refuse(Planting& at) {
  const std::string name = at.any_that([](const VerifyHost&) { return true; });
  at.site()[name].refuses = true;
  return "host not-asked: " + name;
}

std::string other_parity(Planting& at) {
  const std::string name = at.any_oss();
  const NetId net = at.planned(name).fabrics.front();
  at.move(name, net, net.num ^ 1);
  return "file wrong-parity: " + name;
}

std::string other_group(Planting& at) {
  const std::string name = at.any_oss();
  const NetId net = at.planned(name).fabrics.front();
  at.move(name, net, net.num == 6002 || net.num == 6003 ? net.num + 2 : net.num - 2);
  return "file wrong-group: " + name;
}

std::string more_nets(Planting& at) {
  const std::string name = at.any_of_the_fabric();
  auto& nids = at.site()[name].nids;
  const Nid last = nids.back();
  nids.push_back(Nid::small({NetType::kO2ib, 6100}, last.address4()));
  return "file other-nets: " + name;
}

std::string fewer_nets(Planting& at) {
  const std::string name = at.any_of_the_fabric();
  auto& nids = at.site()[name].nids;
  // A router keeps its first NID, which identifies it.
  const std::size_t first = Planting::kIsRouter(at.planned(name)) ? 1 : 0;
  const auto gone = nids[first + at.below(nids.size() - first)].net();
  std::erase_if(nids, [&](const Nid& nid) { return nid.net() == gone; });
  return "file missing-nets: " + name;
}

std::string fewer_routes(Planting& at) {
  const std::string name = at.any_with_routes();
  auto& routes = at.site()[name].routes;
  for (std::size_t gone = 1 + at.below(routes.size()); gone > 0; --gone)
    routes.erase(routes.begin() + static_cast<std::ptrdiff_t>(at.below(routes.size())));
  return "file missing-routes: " + name;
}

std::string more_routes(Planting& at) {
  const std::string name = at.any_with_routes();
  auto& routes = at.site()[name].routes;
  SeenRoute more = at.any(routes);
  more.net = {NetType::kO2ib, 6100};
  routes.push_back(more);
  return "file unplanned-routes: " + name;
}

std::string other_hops(Planting& at) {
  const std::string name = at.any_with_routes();
  at.any(at.site()[name].routes).hops += 2;
  return "file wrong-hops: " + name;
}

std::string other_routes(Planting& at) {
  const std::string name = at.any_with_routes();
  at.any(at.site()[name].routes).net = {NetType::kO2ib, 6100};
  return "file other-routes: " + name;
}

std::string no_way_back(Planting& at) {
  const NetId group = at.planned(at.any_oss()).fabrics.front();
  const auto names = at.names_that([&](const VerifyHost& host) {
    return Planting::kIsServer(host) && host.fabrics.front() == group;
  });
  for (const std::string& name : names) at.site()[name].routes.clear();
  return fmt::format("file one-sided-routes: {}", fmt::join(names, " "));
}

std::string stop_routing(Planting& at) {
  const std::string name = at.any_router();
  at.site()[name].routing = false;
  return "file not-routing: " + name;
}

std::string start_routing(Planting& at) {
  const std::string name = at.any_with_routes();
  at.site()[name].routing = true;
  return "file unplanned-routing: " + name;
}

std::string cut_link(Planting& at) {
  at.site().cut_link("left0", "right0");
  return "cable link: ";
}

struct Mistake {
  const char* cause;
  Plant plant;
};
const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> kMistakes = {
      {"exchanged", exchange},
      {"wrong-switch", plug_elsewhere},
      {"unreachable", cut},
      {"link", cut_link},
      {"path", cut_path},
      {"other-host-answers", stand_in},
      {"ni-down", take_interface},
      {"unreliable", lose_some},
      {"dead", kill},
      {"duplicate-address", address_twice},
      {"wrong-address", address_of_nobody},
      {"other-site", renumber_all},
      {"routes-down", forward_nothing},
      {"not-reached", unreached},
      {"not-asked", refuse},
      {"wrong-group", other_group},
      {"wrong-parity", other_parity},
      {"other-nets", more_nets},
      {"missing-nets", fewer_nets},
      {"missing-routes", fewer_routes},
      {"unplanned-routes", more_routes},
      {"wrong-hops", other_hops},
      {"other-routes", other_routes},
      {"one-sided-routes", no_way_back},
      {"not-routing", stop_routing},
      {"unplanned-routing", start_routing},
  };
  return kMistakes;
}

std::vector<std::string> run(Planting& at, std::uint64_t seed, unsigned retries = 4) {
  SimulatedHosts hosts(at.site(), seed);
  const Asked asked = hosts.ask(1 + at.below(16), retries);
  EXPECT_THAT(asked.notes, IsEmpty());
  return RealSite::texts_of(diagnose(at.site().checks(), asked.seen, at.cables()));
}

TEST(VerifyRuns, ASiteThatIsRightGivesNoSuspect) {
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    Planting at(seed);
    EXPECT_THAT(run(at, seed), IsEmpty()) << "seed " << seed;
  }
}

TEST(VerifyRuns, WithoutAskingAgainARightSiteIsAccused) {
  std::size_t accused = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    Planting at(seed);
    accused += run(at, seed, 0).empty() ? 0 : 1;
  }
  EXPECT_GT(accused, kRuns / 2) << "else these hosts lose nothing";
}

class VerifyRunsOf : public testing::TestWithParam<std::size_t> {};

TEST_P(VerifyRunsOf, AMistakeGiveItAlone) {
  const Mistake& mistake = mistakes()[GetParam()];
  for (std::uint64_t run_number = 0; run_number < kRuns; ++run_number) {
    const std::uint64_t seed = 1000 * (GetParam() + 1) + run_number;
    Planting at(seed);
    const std::string expected = mistake.plant(at);
    EXPECT_THAT(run(at, seed), ElementsAre(expected)) << mistake.cause << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, VerifyRunsOf, testing::Range<std::size_t>(0, mistakes().size()),
                         [](const auto& of) {
                           std::string name = mistakes()[of.param].cause;
                           std::erase(name, '-');
                           return name;
                         });

TEST(VerifyRuns, EachCauseOfThePageIsPlanted) {
  std::vector<std::string> planted, documented;
  for (const Mistake& mistake : mistakes()) planted.emplace_back(mistake.cause);
  std::ifstream page(std::string(ULNET_SOURCE_DIR) + "/docs/FGR.md");
  std::string line;
  while (std::getline(page, line) && line != "| cause | is | |") {
  }
  const std::regex cause("`([a-z-]+)`");
  while (std::getline(page, line) && line.starts_with("|")) {
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::sregex_iterator at(cell.begin(), cell.end(), cause), end; at != end; ++at)
      documented.push_back((*at)[1]);
  }
  EXPECT_THAT(planted, testing::UnorderedElementsAreArray(documented));
}

}  // namespace
}  // namespace ulnet::plan
