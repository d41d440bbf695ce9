#include "sim/tool/commands.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "sim/scenario/draw.h"
#include "sim/scenario/reader.h"
#include "sim/tool/apart.h"
#include "sim/tool/features.h"
#include "sim/tool/in_words.h"
#include "sim/tool/show.h"
#include "sim/tool/shrink.h"
#include "sim/tool/swarm.h"
#include "text/shell/speak.h"

namespace ulnet::tools {
namespace {

using sim::Report;
using sim::Scenario;

Report run_alone(const Scenario& scenario) {
  return run_apart([&] { return sim::Run(scenario).go(); });
}

int code_of(const Report& report) { return report.good() ? kExitGood : kExitBad; }

void print(const Report& report, bool json) {
  std::printf("%s\n", json ? to_json(report).c_str() : verdict_text(report).c_str());
  if (!json) std::fputs(links_text(report).c_str(), stdout);
}

/// Reads the scenario. Nothing: it could not be read, and a message is on standard error.
std::optional<Scenario> read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || path.empty()) {
    std::fprintf(stderr, "ulnet-sim: %s: %s\n", path.c_str(), std::strerror(errno));
    return {};
  }
  auto scenario = sim::read_scenario(text.str());
  if (scenario) return std::move(*scenario);
  std::fputs(conf::lines_of(conf::in_file(scenario.error(), path)).c_str(), stderr);
  return {};
}

/// Writes the files of a failed seed: a summary, and the trace and picture of its smallest form.
bool leave(const Failure& failure, const Shrunk& shrunk, const std::string& summary,
           const std::string& folder) {
  ::mkdir(folder.c_str(), 0777);
  const std::string stem = folder + "/" + std::to_string(failure.seed);
  bool good = write_text("ulnet-sim", stem + ".txt", summary);
  Showing show;
  show.svg = stem + ".svg";
  const std::string title = "seed " + std::to_string(failure.seed);
  if (shrunk.report.ending != sim::Ending::kDied) {
    good = run_and_show(shrunk.scenario, show, ~0ULL, title, stem + ".trace").written && good;
  } else {
    // The scenario is not run again: the program would die here too.
    good = write_text("ulnet-sim", stem + ".trace",
                      "the program dies: replay it with --trace --until STEP\n") &&
           good;
  }
  std::fprintf(stderr, "kept: %s.txt, %s.trace, %s.svg\n", stem.c_str(), stem.c_str(),
               stem.c_str());
  return good;
}

/// The failing seeds, a line for each.
std::string failing_seeds(const std::vector<Failure>& failures) {
  std::string text = fmt::format("failing seeds: {}\n", failures.size());
  for (const Failure& failure : failures)
    text += fmt::format("  {:<12} {}\n", failure.seed, reason_of(failure));
  return text;
}

/// Prints the seed's violation and the shortest form of it, and leaves its files in `folder`.
void explain(const Failure& failure, const std::string& folder) {
  const Scenario scenario = sim::draw_scenario(failure.seed);
  std::string text =
      fmt::format("seed {} ({}): {}\n", failure.seed, scenario.name, verdict_text(failure.report));
  const Shrunk shrunk = shrink(scenario, failure.report, run_alone);
  text += fmt::format("The shortest form of it that was found, in {} runs: {}\n{}  {}\n",
                      shrunk.runs, difference(scenario, failure.report, shrunk),
                      in_words(shrunk.scenario), verdict_text(shrunk.report));
  text += fmt::format(
      "Again:    ulnet-sim replay {0} --trace\nShortest: ulnet-sim replay {0} --shrink --trace "
      "--svg {0}.svg\n",
      failure.seed);
  std::fputs(text.c_str(), stdout);
  if (!folder.empty()) leave(failure, shrunk, text, folder);
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return device() % 1'000'000'000;
}

/// Prints what begins, and from which seed on.
SwarmCommand begun(SwarmCommand command) {
  if (!command.first) command.first = fresh_seed();
  const std::string worlds =
      command.seeds == SwarmCommand::kNoLimit ? "" : std::to_string(command.seeds) + " ";
  const std::string time =
      command.minutes > 0 ? fmt::format(" for {} minutes", command.minutes) : "";
  std::fprintf(stderr, "ulnet-sim: %sworlds from seed %llu on%s, %u at a time\n", worlds.c_str(),
               static_cast<unsigned long long>(*command.first), time.c_str(), command.jobs);
  return command;
}

Report run_seed(std::uint64_t seed) {
  const Scenario scenario = sim::draw_scenario(seed);
  return sim::Run(scenario).go();
}

}  // namespace

int carry_out(const RunCommand& command) {
  auto scenario = read_file(command.file);
  if (!scenario) return kExitScenario;
  if (command.seed) scenario->seed = *command.seed;
  const std::string title = scenario->name.empty() ? command.file : scenario->name;
  const Shown shown = run_and_show(*scenario, command.show, ~0ULL, title);
  print(shown.report, command.show.json);
  if (shown.report.ending == sim::Ending::kUnexpected)
    for (const std::string& unmet : shown.report.unmet)
      std::fprintf(stderr, "%s: %s\n", command.file.c_str(), unmet.c_str());
  return shown.written ? code_of(shown.report) : kExitBad;
}

int carry_out(const SwarmCommand& given) {
  const SwarmCommand command = begun(given);
  const SwarmResult result = run_swarm(command, run_seed);
  std::printf("%s\n", command.json ? result.totals.json().c_str() : result.totals.table().c_str());
  std::printf("seeds %llu to %llu: %llu worlds in %.1f s (%.0f messages a minute), %s\n",
              static_cast<unsigned long long>(*command.first),
              static_cast<unsigned long long>(*command.first +
                                              std::max<std::uint64_t>(result.totals.runs(), 1) - 1),
              static_cast<unsigned long long>(result.totals.runs()), result.seconds,
              static_cast<double>(result.totals.messages()) * 60 / std::max(result.seconds, 0.001),
              result.failures.empty() ? "no violation" : "VIOLATION");
  if (result.failures.empty()) return kExitGood;
  std::fflush(stdout);
  explain(result.failures.front(), command.keep);
  std::fputs(failing_seeds(result.failures).c_str(), stdout);
  return kExitBad;
}

int carry_out(const ReplayCommand& command) {
  Scenario scenario = sim::draw_scenario(command.seed);
  std::string title = fmt::format("seed {}: {}", command.seed, scenario.name);
  if (command.shrink) {
    Report report = run_alone(scenario);
    if (report.good()) {
      std::printf("nothing to shrink: %s\n", verdict_text(report).c_str());
      return kExitGood;
    }
    const Shrunk shrunk = shrink(scenario, report, run_alone);
    title = fmt::format("seed {}, shrunk: {}", command.seed, difference(scenario, report, shrunk));
    scenario = shrunk.scenario;
    std::fprintf(stderr, "ulnet-sim: %s\n%s", title.c_str(), in_words(scenario).c_str());
    if (shrunk.report.ending == sim::Ending::kDied) {
      print(shrunk.report, command.show.json);
      return kExitBad;
    }
  }
  const Shown shown = run_and_show(scenario, command.show, command.until, title);
  print(shown.report, command.show.json);
  return shown.written ? code_of(shown.report) : kExitBad;
}

int carry_out(const DigestCommand& command) {
  for (std::uint64_t seed = command.first;; ++seed) {
    const Scenario scenario = sim::draw_scenario(seed);
    sim::RunOptions options;
    options.checkers = options.marks = false;  // they do not change the digest
    const Report report = sim::Run(scenario, options).go();
    std::printf("%llu %016llx\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(report.digest));
    if (seed == command.last) return kExitGood;
  }
}

int carry_out(const FeaturesCommand& command) {
  const SwarmCommand worlds = begun(command.worlds);
  FeatureCounts counts;
  const SwarmResult result =
      run_swarm(worlds, run_seed, [&](std::uint64_t seed, const Report& report) {
        counts.add(sim::draw_scenario(seed), report);
      });
  std::fputs(counts.table().c_str(), stdout);
  const auto rare = counts.rarer_than(command.least);
  std::printf("%llu worlds from seed %llu on; %zu of %zu features in fewer than %llu of 10,000\n",
              static_cast<unsigned long long>(counts.worlds()),
              static_cast<unsigned long long>(*worlds.first), rare.size(), features().size(),
              static_cast<unsigned long long>(command.least));
  for (const Feature* feature : rare) std::printf("  %s: %s\n", feature->clause, feature->name);
  if (!result.failures.empty()) std::fputs(failing_seeds(result.failures).c_str(), stdout);
  return rare.empty() && result.failures.empty() ? kExitGood : kExitBad;
}

}  // namespace ulnet::tools
