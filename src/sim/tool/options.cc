#include "sim/tool/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <thread>

#include "text/shell/cli_app.h"

namespace ulnet::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  ulnet-sim run examples/sim/lossy-link.yaml              what its file expects, or why not
  ulnet-sim run partition.yaml --svg picture.svg          and a sequence diagram of it
  ulnet-sim swarm --seeds 1000 --minutes 10 --jobs 2      random worlds, and the seeds that fail
  ulnet-sim replay 4711 --trace                           the world of a seed again
  ulnet-sim replay 4711 --shrink --svg picture.svg        the smallest part of it that still fails
  ulnet-sim digest --seeds 1-20                           to compare two builds
  ulnet-sim features --minutes 3                          what random worlds have in them

Exit codes: 0 the verdict is good, 1 it is bad, 2 command line, 3 scenario file.)";

/// Parses "3" or "3-9".
std::string check_seeds(const std::string& text, DigestCommand& out) {
  const char* const end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, out.first);
  out.last = out.first;
  bool good = error == std::errc{};
  if (good && rest != end) {
    good = *rest == '-';
    const auto second = std::from_chars(rest + 1, end, out.last);
    good = good && second.ec == std::errc{} && second.ptr == end;
  }
  good = good && out.first <= out.last;
  return good ? "" : "'" + text + "' is not SEED or FIRST-LAST";
}

void add_showing(CLI::App& app, Showing& show) {
  app.add_flag("--trace", show.trace, "print every input, action, event and fault");
  app.add_option("--svg", show.svg, "write a sequence diagram")->type_name("FILE");
}

void add_worlds(CLI::App& app, SwarmCommand& worlds) {
  const auto* seeds = app.add_option("--seeds", worlds.seeds,
                                     "number of worlds; no limit when only minutes are given")
                          ->capture_default_str()
                          ->type_name("N");
  app.add_option("--first", worlds.first, "first seed; the others follow it (default: random)")
      ->type_name("SEED");
  const auto* minutes = app.add_option("--minutes", worlds.minutes, "minutes of real time at most")
                            ->check(CLI::Range(0.0, 1e6))
                            ->type_name("M");
  app.parse_complete_callback([&worlds, seeds, minutes] {
    if (minutes->count() != 0 && seeds->count() == 0) worlds.seeds = SwarmCommand::kNoLimit;
  });
  app.add_option("--jobs,-j", worlds.jobs, "worlds at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->type_name("J");
}

}  // namespace

std::variant<Command, int> parse_options(int argc, char** argv) {
  RunCommand run;
  SwarmCommand swarm;
  ReplayCommand replay;
  DigestCommand digest;
  FeaturesCommand features;
  std::string seeds;
  swarm.jobs = features.worlds.jobs = std::max(1U, std::thread::hardware_concurrency());

  CLI::App app("ulnet-sim - nodes of LNet in a virtual network that can be replayed", "ulnet-sim");
  app.footer(kExamples);
  app.set_version_flag("--version,-V", "ulnet-sim " ULNET_VERSION);
  prepare_for_commands(app);

  CLI::App& run_app = *app.add_subcommand("run", "run a scenario file");
  run_app.add_option("FILE", run.file, "the scenario, as YAML")->required()->type_name("");
  run_app.add_option("--seed", run.seed, "seed to use instead of the file's")->type_name("N");
  add_showing(run_app, run.show);
  run_app.add_flag("--json", run.show.json, "print the report as JSON");

  CLI::App& swarm_app = *app.add_subcommand("swarm", "run random worlds, every checker on");
  add_worlds(swarm_app, swarm);
  swarm_app
      .add_option("--stop-after", swarm.stop_after, "number of failing seeds after which to stop")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("N");
  swarm_app.add_option("--keep", swarm.keep, "folder for the trace and the diagram of a failure")
      ->type_name("DIR");
  swarm_app.add_flag("--json", swarm.json, "print what was exercised as JSON");

  CLI::App& replay_app = *app.add_subcommand("replay", "run the world of a seed again");
  replay_app.add_option("SEED", replay.seed, "seed of a world")->required()->type_name("");
  replay_app.add_option("--until", replay.until, "number of steps after which to stop")
      ->type_name("STEP");
  replay_app.add_flag("--shrink", replay.shrink, "remove what the failure does not need");
  add_showing(replay_app, replay.show);
  replay_app.add_flag("--json", replay.show.json, "print the report as JSON");

  CLI::App& digest_app = *app.add_subcommand("digest", "print seeds and their digests");
  digest_app.add_option("--seeds", seeds, "SEED or FIRST-LAST")->required()->type_name("A-B");

  CLI::App& features_app = *app.add_subcommand(
      "features", "run random worlds and print in how many each feature of LNet occurred");
  add_worlds(features_app, features.worlds);
  features_app
      .add_option("--least", features.least, "worlds of 10,000 in which each feature has to occur")
      ->capture_default_str()
      ->type_name("N");

  if (const auto wrong = parse_words(app, words_of(argc, argv), kExitUsage)) return *wrong;
  if (run_app.parsed()) return Command(run);
  if (swarm_app.parsed()) return Command(swarm);
  if (replay_app.parsed()) return Command(replay);
  if (features_app.parsed()) return Command(features);
  const std::string wrong = check_seeds(seeds, digest);
  if (wrong.empty()) return Command(digest);
  std::cerr << "ulnet-sim digest: --seeds: " << wrong << ". See 'ulnet-sim digest --help'.\n";
  return int{kExitUsage};
}

}  // namespace ulnet::tools
