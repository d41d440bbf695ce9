#include "fgr/simulate/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "fgr/simulate/oss_load.h"
#include "fgr/simulate/world_of_site.h"
#include "lnet/base/assert.h"
#include "sim/world/world.h"

namespace ulnet::tools::fgr {
namespace {

/// The payload of a simulated message. A router's buffers for it are those of a page.
constexpr std::uint32_t kPayload = 4096;
constexpr double kHeaderBytes = 72;  // spec/wire-lnet.md 2
constexpr double kMessage = 1 << 20;
/// An OSS moves at least this many times its messages under way: otherwise its beginning and its
/// end would dominate the time.
constexpr double kMinTurns = 4;
/// Memory in bytes of a server and a router that know each other, and of a client by itself
/// (measured: 360 OSSs, 482 routers, 1,000 to 25,000 clients).
constexpr double kBytesOfPair = 6000, kBytesOfClient = 74'000;
/// Memory at a client for each router with a route through it, and for each other router that
/// messages come through. The first value is for each of the first kFewRouters, which need pages of
/// their own; the second is for each further one.
constexpr double kFewRouters = 16;
constexpr double kBytesOfRoute[] = {7000, 4000}, kBytesOfOther[] = {3500, 2000};
/// The most memory that a simulation may take.
constexpr double kMaxBytes = 4e9;
/// The possible limits of a client's routes to a net; the largest that fits into memory is used.
constexpr std::size_t kClientRoutes[] = {SIZE_MAX, 256, 64, 16, 4};
constexpr std::uint64_t kMinMessages = 1000;
constexpr Duration kSlice = std::chrono::milliseconds(250);
/// If nothing has moved for this long, nothing will move any more. It is longer than the time-outs.
constexpr double kStuckSeconds = 60;
/// LNet's time-out for a transaction is the larger of two values: kMinTimeout, or kTimeoutTurns
/// times the time that an OSS takes for all its messages under way. So larger messages wait longer.
constexpr double kMinTimeout = 10, kTimeoutTurns = 60;

/// The number of messages that an OSS of the fastest kind moves, and the number of bytes that each
/// of them stands for.
struct Amount {
  std::uint64_t messages = 1;
  double bytes_per_oss = 0, message_bytes = 0;
};

std::vector<const plan::FileSystem*> systems_of_osss(const plan::Plan& plan) {
  std::vector<const plan::FileSystem*> systems;
  for (const plan::FileSystem& system : plan.site.file_systems)
    for (const plan::Server& server : system.servers)
      if (!server.metadata()) systems.push_back(&system);
  return systems;
}

Amount amount_of(const plan::Plan& plan, const TrialSetup& setup) {
  const auto systems = systems_of_osss(plan);
  Amount amount;
  for (const plan::FileSystem* system : systems)
    amount.bytes_per_oss =
        std::max(amount.bytes_per_oss, system->oss_gb_per_s * 1e9 * setup.seconds);
  if (setup.bytes_per_oss != 0) amount.bytes_per_oss = static_cast<double>(setup.bytes_per_oss);
  const double each = static_cast<double>(setup.messages) /
                      static_cast<double>(std::max<std::size_t>(systems.size(), 1));
  const double fewest = kMinTurns * static_cast<double>(setup.window);
  amount.messages =
      static_cast<std::uint64_t>(std::max(1.0, std::min(std::ceil(amount.bytes_per_oss / kMessage),
                                                        std::max(fewest, std::floor(each)))));
  amount.message_bytes = amount.bytes_per_oss / static_cast<double>(amount.messages);
  return amount;
}

double slowest_message(const plan::Plan& plan, const Amount& amount) {
  double slowest = 0;
  for (const plan::FileSystem* system : systems_of_osss(plan))
    slowest = std::max(slowest, amount.message_bytes / (system->oss_gb_per_s * 1e9));
  return slowest;
}

Latencies latencies_of(std::vector<float> seconds) {
  Latencies latencies{.messages = seconds.size()};
  if (seconds.empty()) return latencies;
  std::ranges::sort(seconds);
  latencies.mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  for (std::size_t i = 0; i < latencies.percentiles.size(); ++i)
    latencies.percentiles[i] = seconds[i * (seconds.size() - 1) / 100];
  return latencies;
}

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

using StripesOfOsss = std::map<HostPlace, std::uint64_t>;

StripesOfOsss stripes_of_osss(const std::vector<PlacedFile>& files) {
  StripesOfOsss stripes;
  for (const PlacedFile& file : files)
    for (const std::size_t oss : file.osss) ++stripes[{file.file_system, oss}];
  return stripes;
}

std::uint64_t messages_of(const plan::Plan& plan, const TrialSetup& setup, const Amount& amount,
                          std::size_t file_system) {
  if (setup.bytes_per_oss != 0) return amount.messages;
  const double bytes = plan.site.file_systems[file_system].oss_gb_per_s * 1e9 * setup.seconds;
  return static_cast<std::uint64_t>(std::max(1.0, std::round(bytes / amount.message_bytes)));
}

/// Returns the most messages of one client with one OSS, for one of its stripes.
std::uint64_t messages_per_stripe(const plan::Plan& plan, const TrialSetup& setup,
                                  const Amount& amount, const StripesOfOsss& stripes) {
  std::uint64_t most = 0;
  for (const auto& [place, count] : stripes) {
    const std::uint64_t all = messages_of(plan, setup, amount, place.first);
    most = std::max(most, (all + count - 1) / count);
  }
  return most;
}

double bytes_of_routers(double routers, const double (&each)[2]) {
  return std::min(routers, kFewRouters) * each[0] + std::max(routers - kFewRouters, 0.0) * each[1];
}

/// Returns the number of a group's routers that carry messages while none is lost.
std::size_t first_routers(const plan::GroupRouters& routers) {
  return routers.primary.empty() ? routers.secondary.size() : routers.primary.size();
}

double bytes_of_trial(const plan::Plan& plan, const TrialSetup& setup, std::size_t client_routes) {
  const Amount amount = amount_of(plan, setup);
  const auto files = place_files(plan, setup.files);
  const std::uint64_t each = messages_per_stripe(plan, setup, amount, stripes_of_osss(files));
  std::map<HostPlace, const plan::Group*> groups;
  double bytes = 0;
  for (const plan::Group& group : plan.groups)
    for (const std::size_t server : group.servers) {
      groups.emplace(HostPlace{group.file_system, server}, &group);
      for (const plan::GroupRouters& routers : group.routers)
        bytes += kBytesOfPair * static_cast<double>(first_routers(routers));
    }
  for (const PlacedFile& file : files) {
    std::map<const plan::Group*, std::uint64_t> stripes;
    for (const std::size_t oss : file.osss) ++stripes[groups.at({file.file_system, oss})];
    double routes = 0, others = 0;
    for (const auto& [group, count] : stripes) {
      const std::size_t all = first_routers(group->routers[file.client]);
      const std::size_t own = std::min(client_routes, all);
      routes += static_cast<double>(own);
      others += static_cast<double>(std::min(all - own, static_cast<std::size_t>(count * each)));
    }
    bytes += kBytesOfClient + bytes_of_routers(routes, kBytesOfRoute) +
             bytes_of_routers(others, kBytesOfOther);
  }
  return bytes;
}

std::size_t client_routes_that_fit(const plan::Plan& plan, const TrialSetup& setup) {
  if (setup.client_routes != 0) return setup.client_routes;
  for (const std::size_t routes : kClientRoutes)
    if (bytes_of_trial(plan, setup, routes) <= kMaxBytes) return routes;
  return 0;
}

class Trial {
 public:
  Trial(const plan::Plan& plan, const TrialSetup& setup, std::size_t client_routes)
      : plan_(plan),
        setup_(setup),
        client_routes_(client_routes),
        amount_(amount_of(plan, setup)),
        scale_((kPayload + kHeaderBytes) / amount_.message_bytes),
        world_(setup.seed, {.check_all_every = 0}),
        files_(place_files(plan, setup.files)),
        slowest_(slowest_message(plan, amount_)),
        timeout_(std::max(kMinTimeout, slowest_ * setup.window * kTimeoutTurns)),
        site_(plan, world_, files_, routes_of_hosts(),
              static_cast<std::int32_t>(std::ceil(timeout_))),
        load_(world_.add<OssLoad>(load_setup())),
        begun_(world_.age()) {
    site_.set_scale(scale_);
    for (const WorldOfSite::Isl& isl : site_.isls())
      at_begin_.push_back({port(isl, isl.leaf), port(isl, isl.core)});
  }

  Result<Outcome> run(const std::function<bool(double)>& go_on) {
    double all = 0;
    for (const WorldOfSite::Oss& oss : site_.osss()) {
      if (oss.clients.empty()) return without_file(oss.place);
      all += static_cast<double>(messages_of(oss));
    }
    const double stuck = std::max(kStuckSeconds, 3 * timeout_);
    std::uint64_t moved = 0;
    double moved_at = 0;
    bool lost = false;
    while (!load_.done() && now() - moved_at < stuck) {
      const Duration next =
          std::min(age() / kSlice * kSlice + kSlice, lost ? Duration::max() : setup_.lose_at);
      (void)world_.run_for(next - age());
      if (world_.violation()) return fail(-EPROTO, world_.explain());
      if (!lost && age() >= setup_.lose_at) {
        lose();
        lost = true;
      }
      if (load_.moved() != moved) moved_at = now();
      moved = load_.moved();
      if (!go_on(static_cast<double>(moved) / std::max(all, 1.0)))
        return fail(-EINTR, fmt::format("interrupted when {:.1f} % was moved",
                                        100 * static_cast<double>(moved) / std::max(all, 1.0)));
    }
    return outcome(load_.done() ? in_seconds(last_done()) : moved_at);
  }

 private:
  struct Begin {
    sim::PortCounters leaf, core;
  };

  std::size_t count() const { return site_.osss().size(); }

  std::uint64_t messages_of(const WorldOfSite::Oss& oss) const {
    return fgr::messages_of(plan_, setup_, amount_, oss.place.first);
  }

  RoutesOfHosts routes_of_hosts() const {
    return {.of_client = client_routes_, .lost = setup_.lost, .all = setup_.all_routes};
  }

  tl::unexpected<Error> without_file(const HostPlace& place) const {
    const plan::FileSystem& system = plan_.site.file_systems[place.first];
    return fail(
        -EINVAL,
        fmt::format("no client has a file on OSS {}: more --clients or --stripes are needed",
                    system.servers[place.second].host));
  }

  OssLoadSetup load_setup() const {
    OssLoadSetup load;
    load.write = setup_.write;
    load.payload = kPayload;
    load.window = setup_.window;
    load.spread = std::chrono::nanoseconds(static_cast<std::int64_t>(slowest_ * 1e9));
    for (const WorldOfSite::Oss& oss : site_.osss())
      load.osss.push_back({oss.node, oss.clients, messages_of(oss)});
    load.clients = site_.clients();
    return load;
  }

  /// Returns the time since the load began.
  Duration age() const { return world_.age() - begun_; }
  double now() const { return in_seconds(age()); }

  void lose() {
    site_.lose(setup_.lost);
    for (std::size_t i = 0; i < count(); ++i)
      if (setup_.lost.oss(site_.osss()[i].place)) load_.give_up(i);
  }

  Duration last_done() const {
    Duration last{};
    for (std::size_t i = 0; i < count(); ++i)
      if (load_.record(i).done != Duration::max()) last = std::max(last, load_.record(i).done);
    return last;
  }

  Outcome outcome(double until) {
    Outcome outcome{.seconds = until,
                    .bytes_per_oss = amount_.bytes_per_oss,
                    .message_bytes = amount_.message_bytes,
                    .clients = site_.clients().size(),
                    .client_routes = client_routes_ == SIZE_MAX ? 0 : client_routes_,
                    .steps = world_.steps()};
    for (std::size_t i = 0; i < count(); ++i) outcome.osss.push_back(oss_outcome(i, until));
    add_latencies(outcome);
    add_isls(outcome);
    return outcome;
  }

  OssOutcome oss_outcome(std::size_t number, double until) const {
    const OssRecord& record = load_.record(number);
    const WorldOfSite::Oss& at = site_.osss()[number];
    const bool all_moved = record.done != Duration::max();
    OssOutcome oss{.place = at.place,
                   .lost = !all_moved && setup_.lost.oss(at.place),
                   .amount = static_cast<double>(messages_of(at)) * amount_.message_bytes,
                   .bytes = static_cast<double>(record.moved) * amount_.message_bytes,
                   .failed = record.failed};
    if (all_moved) oss.seconds = in_seconds(record.done);
    const double took = oss.seconds.value_or(until);
    oss.gb_per_s = took > 0 ? oss.bytes / took / 1e9 : 0;
    std::vector<float> seconds;
    for (const OssRecord::Message& each : record.messages) seconds.push_back(each.seconds);
    const Latencies latencies = latencies_of(std::move(seconds));
    oss.p50 = latencies.percentiles[50];
    oss.p99 = latencies.percentiles[99];
    return oss;
  }

  /// Each router of the site, by the number of its node.
  std::map<std::uint32_t, HostPlace> router_places() const {
    std::map<std::uint32_t, HostPlace> places;
    for (std::size_t client = 0; client < site_.routers().size(); ++client)
      for (std::size_t i = 0; i < site_.routers()[client].size(); ++i)
        places.emplace(site_.routers()[client][i]->number(), HostPlace{client, i});
    return places;
  }

  PayloadWay way_of(const HostPlace& oss, const HostPlace& router) const {
    const plan::Router& by = plan_.site.clients[router.first].routers[router.second];
    const plan::Server& server = plan_.site.file_systems[oss.first].servers[oss.second];
    if (by.at_switch != server.at_switch) return PayloadWay::kCrossing;
    for (const plan::Group& group : plan_.groups)
      if (group.file_system == oss.first &&
          std::ranges::find(group.servers, oss.second) != group.servers.end() &&
          group.routers[router.first].has(2, router.second))
        return PayloadWay::kSecondary;
    return PayloadWay::kOwn;
  }

  void add_latencies(Outcome& outcome) const {
    const auto places = router_places();
    std::vector<float> all;
    std::array<std::vector<float>, 3> by_way;
    std::map<HostPlace, std::uint64_t> carried;
    for (std::size_t i = 0; i < count(); ++i) {
      std::map<std::uint32_t, std::size_t> ways;  // for this OSS, by router
      for (const OssRecord::Message& each : load_.record(i).messages) {
        all.push_back(each.seconds);
        const auto router = places.find(each.router);
        if (router == places.end()) continue;
        ++carried[router->second];
        const auto [way, is_new] = ways.try_emplace(each.router);
        if (is_new)
          way->second = static_cast<std::size_t>(way_of(site_.osss()[i].place, router->second));
        by_way[way->second].push_back(each.seconds);
      }
    }
    outcome.latencies = latencies_of(std::move(all));
    for (std::size_t i = 0; i < by_way.size(); ++i)
      outcome.by_way[i] = latencies_of(std::move(by_way[i]));
    if (outcome.latencies.messages != 0)
      outcome.crossing = static_cast<double>(outcome.of(PayloadWay::kCrossing).messages) /
                         static_cast<double>(outcome.latencies.messages);
    for (const auto& [router, messages] : carried) {
      const double seconds = static_cast<double>(messages) * amount_.message_bytes /
                             (plan_.site.clients[router.first].router_gb_per_s * 1e9);
      const double busy = outcome.seconds > 0 ? seconds / outcome.seconds : 0;
      outcome.routers_busy += busy / static_cast<double>(carried.size());
      outcome.busiest_router = std::max(outcome.busiest_router, busy);
    }
  }

  /// Returns the counters of a link between switches, at one of its ends.
  sim::PortCounters port(const WorldOfSite::Isl& isl, sim::SwitchId at) {
    return world_.wire().fabric().port(isl.link, at).counters(world_.now());
  }

  /// Returns the traffic of a link in one direction. `seconds`: how long the load took; the world
  /// may have run longer.
  IslWay way(const WorldOfSite::Isl& isl, sim::SwitchId from, const sim::PortCounters& begin,
             double seconds) {
    const sim::PortCounters end = port(isl, from);
    return {.bytes = static_cast<double>(end.bytes - begin.bytes) / scale_,
            .busy = std::min(1.0, in_seconds(end.busy - begin.busy) / std::max(seconds, 1e-9))};
  }

  void add_isls(Outcome& outcome) {
    for (std::size_t i = 0; i < site_.isls().size(); ++i) {
      const WorldOfSite::Isl& isl = site_.isls()[i];
      outcome.isls.push_back({.at_switch = isl.at_switch,
                              .gb_per_s = isl.gb_per_s,
                              .to_core = way(isl, isl.leaf, at_begin_[i].leaf, outcome.seconds),
                              .from_core = way(isl, isl.core, at_begin_[i].core, outcome.seconds)});
    }
  }

  const plan::Plan& plan_;
  const TrialSetup& setup_;
  const std::size_t client_routes_;  ///< RoutesOfHosts::of_client
  const Amount amount_;
  const double scale_;
  sim::World world_;
  const std::vector<PlacedFile> files_;
  const double slowest_;  ///< seconds that an OSS takes for a message, at its own rate
  const double timeout_;  ///< LNet's transaction_timeout, seconds
  WorldOfSite site_;
  OssLoad& load_;
  const Duration begun_;
  std::vector<Begin> at_begin_;  ///< by link between switches
};

}  // namespace

plan::Plan flat_plan(const plan::Plan& plan) {
  plan::Site site = plan.site;
  for (plan::FileSystem& system : site.file_systems)
    system.layout = plan::FileSystem::Layout::kFlat;
  auto flat = plan::make_plan(std::move(site));
  ULNET_ASSERT(flat.has_value());  // it has one group, whose net is the base
  return std::move(*flat);
}

double isl_gb_per_s(const plan::FileSystem& system) {
  if (system.isl_gb_per_s > 0) return system.isl_gb_per_s;
  std::map<std::string, double> osss;
  double most = 1;
  for (const plan::Server& server : system.servers)
    if (!server.metadata()) most = std::max(most, ++osss[server.at_switch]);
  return most * system.oss_gb_per_s / 2;
}

std::uint64_t messages_that_fit(std::span<const plan::Plan> plans, TrialSetup setup) {
  const auto too_large = [&](const plan::Plan& plan) {
    return client_routes_that_fit(plan, setup) == 0;
  };
  while (setup.messages > kMinMessages && std::ranges::any_of(plans, too_large))
    setup.messages -= setup.messages / 10;
  return setup.messages;
}

Result<Outcome> run_trial(const plan::Plan& plan, const TrialSetup& setup,
                          const std::function<bool(double)>& go_on) {
  if (systems_of_osss(plan).empty()) return fail(-EINVAL, "the site has no OSS");
  const std::size_t client_routes = client_routes_that_fit(plan, setup);
  if (client_routes == 0)
    return fail(-E2BIG,
                fmt::format("it would take about {:.1f} GB of memory; fewer --clients, "
                            "fewer --messages, or --fgr, take less",
                            bytes_of_trial(plan, setup, std::ranges::min(kClientRoutes)) / 1e9));
  Trial trial(plan, setup, client_routes);
  auto outcome = trial.run(go_on);
  if (outcome) outcome->flat = std::ranges::all_of(plan.site.file_systems, &plan::FileSystem::flat);
  return outcome;
}

}  // namespace ulnet::tools::fgr
