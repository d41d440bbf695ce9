#include "tools/fgr/simulate/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>

#include "base/assert.h"
#include "sim/kernel/world.h"
#include "tools/fgr/simulate/oss_load.h"
#include "tools/fgr/simulate/world_of_site.h"

namespace ulnet::tools::fgr {
namespace {

/// Of the payload of a simulated message. A router's buffers for it are those of a page.
constexpr std::uint32_t kPayload = 4096;
constexpr double kHeaderBytes = 72;  // spec/wire-lnet.md 2
constexpr double kMessage = 1 << 20;
/// An OSS moves at least so many times what it has under way at a time: else its beginning and its
/// end would be most of it.
constexpr double kFewestTurns = 4;
/// What a server and a router that know each other take (measured: 360 OSSs, 482 routers, flat),
/// and the most that a simulation may take: bytes.
constexpr double kBytesOfPair = 6000, kMostBytes = 8e9;
constexpr Duration kSlice = std::chrono::milliseconds(250);
/// Nothing has moved for so long: nothing will any more. Longer than the time-outs.
constexpr double kStuckSeconds = 60;
/// LNet's time-out for a transaction is this, or so many times what an OSS takes for all messages
/// that it has under way: messages that are larger wait longer.
constexpr double kLeastTimeout = 10, kTimeoutTurns = 60;

/// How many messages an OSS of the fastest kind moves, and how many bytes each of them stands for.
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
  const double fewest = kFewestTurns * static_cast<double>(setup.window);
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

float percentile_of(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Of all hosts that talk to each other.
double bytes_of_pairs(const plan::Plan& plan, const TrialSetup& setup) {
  double pairs = 0;
  for (const plan::Group& group : plan.groups)
    for (const plan::GroupRouters& routers : group.routers)
      pairs += static_cast<double>(group.servers.size() + setup.client_nodes) *
               static_cast<double>(routers.primary.size() + routers.secondary.size());
  return pairs * kBytesOfPair;
}

class Trial {
 public:
  Trial(const plan::Plan& plan, const TrialSetup& setup)
      : plan_(plan),
        setup_(setup),
        amount_(amount_of(plan, setup)),
        scale_((kPayload + kHeaderBytes) / amount_.message_bytes),
        world_(setup.seed, {.check_all_every = 0}),
        slowest_(slowest_message(plan, amount_)),
        timeout_(std::max(kLeastTimeout, slowest_ * setup.window * kTimeoutTurns)),
        site_(plan, world_, setup.client_nodes, static_cast<std::int32_t>(std::ceil(timeout_))),
        load_(world_.add<OssLoad>(load_setup())),
        begun_(world_.age()) {
    site_.set_scale(scale_);
    for (const WorldOfSite::Isl& isl : site_.isls())
      at_begin_.push_back({port(isl, isl.leaf), port(isl, isl.core)});
  }

  Result<Outcome> run(const std::function<void(double)>& progress) {
    double all = 0;
    for (const WorldOfSite::Oss& oss : site_.osss()) all += static_cast<double>(messages_of(oss));
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
      progress(static_cast<double>(moved) / std::max(all, 1.0));
    }
    return outcome(load_.done() ? in_seconds(last_done()) : moved_at);
  }

 private:
  struct Begin {
    sim::PortCounters leaf, core;
  };

  std::size_t count() const { return site_.osss().size(); }

  std::uint64_t messages_of(const WorldOfSite::Oss& oss) const {
    if (setup_.bytes_per_oss != 0) return amount_.messages;
    const double bytes =
        plan_.site.file_systems[oss.place.first].oss_gb_per_s * 1e9 * setup_.seconds;
    return static_cast<std::uint64_t>(std::max(1.0, std::round(bytes / amount_.message_bytes)));
  }

  OssLoadSetup load_setup() const {
    OssLoadSetup load;
    load.write = setup_.write;
    load.payload = kPayload;
    load.window = setup_.window;
    load.spread = std::chrono::nanoseconds(static_cast<std::int64_t>(slowest_ * 1e9));
    for (const WorldOfSite::Oss& oss : site_.osss())
      load.osss.push_back({oss.node, oss.clients, messages_of(oss)});
    return load;
  }

  /// Since the load began.
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
                    .messages = load_.moved(),
                    .steps = world_.steps()};
    std::vector<float> all;
    for (std::size_t i = 0; i < count(); ++i) {
      const OssRecord& record = load_.record(i);
      all.insert(all.end(), record.latencies.begin(), record.latencies.end());
      const bool all_moved = record.done != Duration::max();
      OssOutcome oss{
          .place = site_.osss()[i].place,
          .lost = !all_moved && setup_.lost.oss(site_.osss()[i].place),
          .amount = static_cast<double>(messages_of(site_.osss()[i])) * amount_.message_bytes,
          .bytes = static_cast<double>(record.moved) * amount_.message_bytes,
          .failed = record.failed};
      if (all_moved) oss.seconds = in_seconds(record.done);
      const double took = oss.seconds.value_or(until);
      oss.gb_per_s = took > 0 ? oss.bytes / took / 1e9 : 0;
      std::vector<float> own = record.latencies;
      oss.p50 = percentile_of(own, 0.5);
      oss.p99 = percentile_of(own, 0.99);
      outcome.osss.push_back(oss);
    }
    for (std::size_t i = 0; i < outcome.percentiles.size(); ++i)
      outcome.percentiles[i] = percentile_of(all, static_cast<double>(i) / 100);
    add_isls(outcome);
    return outcome;
  }

  /// Of a link between switches: from one of its ends.
  sim::PortCounters port(const WorldOfSite::Isl& isl, sim::SwitchId at) {
    return world_.wire().fabric().port(isl.link, at).counters(world_.now());
  }

  /// In `seconds`: the world may have run on, with nothing left to move.
  IslWay way(const WorldOfSite::Isl& isl, sim::SwitchId from, const sim::PortCounters& begin,
             double seconds) {
    const sim::PortCounters end = port(isl, from);
    return {.bytes = static_cast<double>(end.bytes - begin.bytes) / scale_,
            .busy = std::min(1.0, in_seconds(end.busy - begin.busy) / std::max(seconds, 1e-9))};
  }

  void add_isls(Outcome& outcome) {
    double crossed = 0;
    for (std::size_t i = 0; i < site_.isls().size(); ++i) {
      const WorldOfSite::Isl& isl = site_.isls()[i];
      outcome.isls.push_back({.at_switch = isl.at_switch,
                              .gb_per_s = isl.gb_per_s,
                              .to_core = way(isl, isl.leaf, at_begin_[i].leaf, outcome.seconds),
                              .from_core = way(isl, isl.core, at_begin_[i].core, outcome.seconds)});
      crossed += outcome.isls.back().to_core.bytes * scale_;
    }
    // Each message is one with payload and one without, its request or its ACK, on the same way.
    const double wire = static_cast<double>(load_.moved()) * (kPayload + 2 * kHeaderBytes);
    outcome.crossing = wire > 0 ? crossed / wire : 0;
  }

  const plan::Plan& plan_;
  const TrialSetup& setup_;
  const Amount amount_;
  const double scale_;
  sim::World world_;
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

Result<Outcome> run_trial(const plan::Plan& plan, const TrialSetup& setup,
                          const std::function<void(double)>& progress) {
  if (const double bytes = bytes_of_pairs(plan, setup); bytes > kMostBytes)
    return fail(-E2BIG, fmt::format("it would take about {:.0f} GB of memory; fewer --clients, or "
                                    "--fgr, take less",
                                    bytes / 1e9));
  if (systems_of_osss(plan).empty()) return fail(-EINVAL, "the site has no OSS");
  Trial trial(plan, setup);
  auto outcome = trial.run(progress);
  if (outcome) outcome->flat = std::ranges::all_of(plan.site.file_systems, &plan::FileSystem::flat);
  return outcome;
}

}  // namespace ulnet::tools::fgr
