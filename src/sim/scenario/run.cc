#include "sim/scenario/run.h"

#include <algorithm>

#include "sim/checkers/all.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/load/random_load.h"
#include "sim/scenario/aftermath.h"
#include "sim/scenario/script.h"
#include "sim/scenario/tally.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kFirstTrafficPortal = 4;
constexpr std::uint32_t kFirstOldNodePortal = 16;
constexpr std::uint32_t kFirstMixPortal = 20;
static_assert(kFirstOldNodePortal + kMaxOldNodes <= kFirstMixPortal);
constexpr std::uint32_t kPortalsOfALoad = 4;
/// A shutdown takes its grace period of 5 s, and the time that the drivers need to end.
constexpr Duration kShutdownWithin = std::chrono::minutes(5);

/// The name of a fault in Exercised::acts.
std::string fault_word(std::size_t index) {
  const std::string fault = "fault ";
  if (index < kFaultKinds.size()) return fault + to_string(kFaultKinds[index]);
  index -= kFaultKinds.size();
  if (index < kLinkFaults.size()) return fault + kLinkFaults[index];
  return fault + kAdminWords[index - kLinkFaults.size()];
}

std::uint64_t link_value(const LinkUse& use, std::uint32_t which) {
  switch (which) {
    case Expectation::kBytes:
      return use.counters.bytes;
    case Expectation::kBusyPercent:
      return use.busy_percent();
    case Expectation::kHighestQueue:
      return use.counters.highest_queue;
    default:
      return use.counters.lost;
  }
}

std::array<std::uint64_t, 11> listed(const Counters& c) {
  return {c.msgs_alloc, c.msgs_max,    c.errors,      c.send_count,   c.recv_count, c.route_count,
          c.drop_count, c.send_length, c.recv_length, c.route_length, c.drop_length};
}

}  // namespace

Run::Run(const Scenario& scenario, const RunOptions& options)
    : scenario_(scenario), options_(options) {}
Run::~Run() = default;

// ---- building -----------------------------------------------------------------------------------

void Run::build() {
  WorldOptions options;
  options.link = scenario_.link;
  options.streams = scenario_.streams;
  options.trace = options_.trace;
  world_ = std::make_unique<World>(scenario_.seed, options);
  if (options_.checkers) add_all_checkers(*world_);
  if (options_.checkers && scenario_.nothing_fails) world_->add_checker(nothing_fails_checker());
  if (options_.marks) marks_ = &world_->add<CoverageMarks>();
  for (const Expectation& each : scenario_.expect)
    if (tally_ == nullptr &&
        (each.what == Expectation::What::kTrips || each.what == Expectation::What::kDiscovery))
      tally_ = &world_->add<Tally>();
  if (options_.timeline != 0) timeline_ = &world_->add<Timeline>(options_.timeline);
  sim::build(scenario_.switches, world_->wire().fabric());
  for (const NodeSetup& node : scenario_.nodes) world_->add_node(node);
  for (const LinkBetween& between : scenario_.links) {
    const SimNode& from = world_->node(between.from);
    const SimNode& to = world_->node(between.to);
    for (std::size_t i = 0; i < from.setup().nis.size(); ++i)
      for (std::size_t j = 0; j < to.setup().nis.size(); ++j)
        if (from.nid(i).net() == to.nid(j).net())
          world_->wire().set_model(from.place(i), to.place(j), between.model);
  }
  if (scenario_.interface_rate != 0)
    for (const SimNode& node : world_->nodes())
      for (std::size_t ni = 0; ni < node.setup().nis.size(); ++ni)
        world_->wire().set_rate(node.place(ni), scenario_.interface_rate);
  add_loads();
  script_ = &world_->add<Script>(scenario_);
  for (std::size_t i = 0; i < scenario_.rates.size(); ++i) {
    const FaultRate& rate = scenario_.rates[i];
    world_->add_actor(make_fault(rate.kind, rate.pace,
                                 std::string("fault/") + to_string(rate.kind) + std::to_string(i)));
  }
}

template <class Kind, class... Args>
Kind& Run::add_load(Args&&... args) {
  Kind& load = world_->add<Kind>(std::forward<Args>(args)...);
  loads_.push_back(&load);
  return load;
}

void Run::add_loads() {
  for (std::size_t i = 0; i < scenario_.selftests.size(); ++i)
    add_load<SelftestLoad>("selftest" + std::to_string(i), scenario_.selftests[i]);
  for (std::size_t i = 0; i < scenario_.loads.size(); ++i) {
    const LoadSpec& spec = scenario_.loads[i];
    const std::string name = "load" + std::to_string(i);
    const auto place = static_cast<std::uint32_t>(i);
    if (!spec.by_chance()) {
      traffic_.push_back(
          &add_load<Traffic>(name, spec, Portal{kFirstTrafficPortal + place}, scenario_.sample));
      continue;
    }
    if (spec.what == LoadSpec::What::kRandom) {
      RandomLoadSetup setup;
      setup.operations = spec.count;
      if (spec.every != Duration{}) setup.think = spec.every;
      setup.max_bytes = spec.max_bytes;
      setup.unpolled = spec.unpolled;
      setup.first_portal = kFirstMixPortal + kPortalsOfALoad * place;
      add_load<RandomLoad>(name, setup);
      continue;
    }
    LoadSetup setup;
    setup.operations = spec.count;
    setup.at_once = spec.window;
    if (spec.every != Duration{}) setup.think = spec.every;
    setup.min_bytes = spec.min_bytes;
    setup.max_bytes = spec.max_bytes;
    setup.first_portal = kFirstMixPortal + kPortalsOfALoad * place;
    mixes_.push_back(&add_load<VerifiedLoad>(name, setup));
  }
  for (std::uint32_t i = 0; i < scenario_.old_nodes.size(); ++i)
    old_nodes_.push_back(&add_load<OldNode>("old" + std::to_string(i), scenario_.old_nodes[i],
                                            Portal{kFirstOldNodePortal + i}));
}

// ---- running ------------------------------------------------------------------------------------

/// Whether the workload is done. Random faults go on until `lasts` is over.
bool Run::workload_done() const {
  const auto done = [](const Load* load) { return load->done(); };
  return scenario_.rates.empty() && script_->done() && std::ranges::all_of(loads_, done);
}

Limits Run::limits(Duration time) const {
  const std::uint64_t most = std::min(scenario_.steps, options_.until_step);
  return {.steps = most > world_->steps() ? most - world_->steps() : 0, .time = time};
}

/// True: the run is over, and `report` has its ending.
bool Run::over(const Verdict& verdict, Report& report, bool may_stop) {
  if (world_->violation()) {
    const Violation& violation = *world_->violation();
    report.ending = Ending::kViolated;
    report.checker = violation.checker;
    report.what = violation.node == kNoNode
                      ? violation.what
                      : world_->node(violation.node).name() + ": " + violation.what;
    return true;
  }
  if (verdict.reached()) return false;
  if (verdict.outcome == Outcome::kStepsUp) {
    const bool asked = options_.until_step <= scenario_.steps;
    report.ending = asked ? Ending::kStopped : Ending::kOutOfSteps;
    report.what =
        asked ? "" : "after " + std::to_string(scenario_.steps) + " steps; " + world_->explain();
    return true;
  }
  if (may_stop) return false;
  report.ending = Ending::kViolated;
  report.checker = "not quiet";
  report.what = std::string(to_string(verdict.outcome)) + "; " + world_->explain();
  return true;
}

Report Run::go() {
  Report report;
  build();
  bool ended =
      over(world_->run_until([this](World&) { return workload_done(); }, limits(scenario_.lasts)),
           report, true);
  if (tally_ != nullptr) report.round_trips = tally_->round_trips(*world_);
  report.switch_links = uses_of(world_->wire().fabric(), world_->now(), world_->age());
  if (!ended) {
    world_->wind_down();
    ended = over(run_until_quiet(), report, false);
  }
  if (!ended) {
    exercised(report);
    expectations(report);
    take_back();
    ended = over(run_until_quiet(), report, false);
  }
  if (!ended) {
    world_->check_at_rest();
    ended = world_->violation() && over({Outcome::kViolated, 0, world_->now()}, report, false);
  }
  if (!ended && scenario_.aftermath) ended = aftermath(report);
  if (!ended) ended = shut_down(report);
  if (!ended) ended = over(run_until_quiet(), report, false);
  if (!ended) {
    world_->check_at_end();
    ended = world_->violation() && over({Outcome::kViolated, 0, world_->now()}, report, false);
  }
  if (!ended && !report.unmet.empty()) {
    report.ending = Ending::kUnexpected;
    report.what = report.unmet.front();
  }
  exercised(report);
  return report;
}

/// Runs until the world is quiet. If that takes too long, it runs for the same time once more,
/// until only pings that LNet itself repeats go on. After that, the pieces on the wire have the
/// same time to arrive, through routers too. The wire need not be empty then, because on slow links
/// there is always a ping on it. But everything on the wire must have been sent later.
Verdict Run::run_until_quiet() {
  const Duration within = scenario_.quiet_within;
  const auto quiet = [](const World& world) { return world.quiet() && world.instant_is_over(); };
  Verdict verdict = world_->run_until(quiet, limits(within));
  if (verdict.outcome != Outcome::kTimeUp) return verdict;
  const auto only_pings = [](const World& world) {
    return world.quiet_except_pings() && world.instant_is_over();
  };
  verdict = world_->run_until(only_pings, limits(within));
  if (!verdict.reached()) return verdict;
  const Instant arrived = world_->now() + within;
  const auto nothing_else = [&](const World& world) {
    return only_pings(world) && world.on_wire_since() > arrived;
  };
  return world_->run_until(nothing_else, limits(2 * within));
}

void Run::take_back() {
  for (Load* load : loads_) load->take_back(*world_);
}

/// Runs the world for a while without faults and loads, so that it can recover; then nodes send to
/// each other. True: the run is over, because the world has not recovered.
bool Run::aftermath(Report& report) {
  world_->check_calm(false);
  const auto never = [](const World&) { return false; };
  bool ended = over(world_->run_until(never, limits(kCalm)), report, true);
  if (!ended) ended = over(run_until_quiet(), report, false);
  if (!ended) {
    world_->check_calm(true);
    ended = world_->violation() && over({Outcome::kViolated, 0, world_->now()}, report, false);
  }
  EachOther each_other(*world_, scenario_);
  const auto done = [&](const World&) { return each_other.done(); };
  while (!ended && each_other.try_again())
    ended = over(world_->run_until(done, limits(scenario_.quiet_within)), report, false) ||
            over(run_until_quiet(), report, false);
  if (ended || each_other.unreached().empty()) return ended;
  report.ending = Ending::kViolated;
  report.checker = EachOther::kName;
  report.what = each_other.unreached();
  return true;
}

bool Run::shut_down(Report& report) {
  if (!scenario_.shutdown) return false;
  for (SimNode& node : world_->nodes())
    if (node.up()) node.shutdown();
  const auto stopped = [](World& world) {
    return std::ranges::all_of(world.nodes(), [](const SimNode& node) {
      return node.state() == SimNode::State::kStopped || node.state() == SimNode::State::kDown;
    });
  };
  const Verdict verdict = world_->run_until(stopped, limits(kShutdownWithin));
  const bool ended = over(verdict, report, false);
  if (report.checker == "not quiet") report.checker = "shutdown does not end";
  return ended;
}

// ---- the result ---------------------------------------------------------------------------------

void Run::expectations(Report& report) {
  for (const Expectation& expectation : scenario_.expect) {
    const std::uint64_t value = value_of(expectation, report);
    if (expectation.range.holds(value)) continue;
    report.unmet.push_back("line " + std::to_string(expectation.line) + ": " + expectation.name +
                           ": " + std::to_string(value) + ", expected " +
                           text::range_text(expectation.range));
  }
}

std::uint64_t Run::value_of(const Expectation& expectation, const Report& report) {
  const auto pick = [&](const auto& counts) {
    return expectation.index == Expectation::kAll ? sum(counts) : counts[expectation.index];
  };
  switch (expectation.what) {
    case Expectation::What::kDelivered:
      return report.delivered;
    case Expectation::What::kFailed:
      return report.failed;
    case Expectation::What::kEvents:
      return pick(report.events);
    case Expectation::What::kDrops:
      return pick(report.drops);
    case Expectation::What::kLost:
      return pick(report.lost);
    case Expectation::What::kCounter:
      return listed(world_->node(expectation.node).counters())[expectation.index];
    case Expectation::What::kTrips:
      return report.round_trips;
    case Expectation::What::kDiscovery:
      return report.most_discovery;
    case Expectation::What::kSwitchLink:
      return link_value(report.switch_links[expectation.index / Expectation::kLinkValues],
                        expectation.index % Expectation::kLinkValues);
    case Expectation::What::kFaults:
      break;
  }
  std::uint64_t faults = 0;
  for (const auto& [word, times] : report.acts)
    if (expectation.index == Expectation::kAll ? word.starts_with("fault ")
                                               : word == fault_word(expectation.index))
      faults += times;
  return faults;
}

std::vector<LoadResult> Run::load_results() const {
  std::vector<LoadResult> results;
  auto traffic = traffic_.begin();
  for (std::size_t i = 0; i < scenario_.loads.size(); ++i) {
    if (scenario_.loads[i].by_chance()) continue;
    results.push_back({i, (*traffic)->counts(), (*traffic)->series()});
    ++traffic;
  }
  return results;
}

void Run::exercised(Report& report) {
  static_cast<Exercised&>(report) = world_->exercised();
  report.drops = world_->drops();
  report.delivered = report.failed = 0;
  for (const Traffic* traffic : traffic_) {
    report.delivered += traffic->counts().delivered;
    report.failed += traffic->counts().failed;
  }
  if (scenario_.sample != Duration{}) report.loads = load_results();
  for (const VerifiedLoad* mix : mixes_) {
    report.delivered += mix->counts().arrived;
    report.failed += mix->counts().failed;
  }
  for (const OldNode* old : old_nodes_) report.delivered += old->exchanged();
  if (tally_ != nullptr) report.most_discovery = tally_->most_discovery();
  if (marks_ != nullptr) report.marks = marks_->counts(*world_);
  report.digest = world_->digest();
  report.steps = world_->steps();
  report.age = world_->age();
}

}  // namespace ulnet::sim
