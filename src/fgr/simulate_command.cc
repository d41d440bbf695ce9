// simulate.
#include <fmt/format.h>
#include <malloc.h>

#include "fgr/commands.h"
#include "fgr/output/late_file.h"
#include "fgr/simulate/report.h"
#include "lab/live/stop_signal.h"
#include "text/quantity.h"
#include "text/shell/progress.h"

namespace ulnet::tools::fgr {
namespace {

struct SimulateOptions {
  std::string site, fabric, time, bytes, lose_at, svg;
  std::vector<std::string> losses;
  TrialSetup setup;
  double isl = 0;
  std::uint64_t messages = 0;  ///< 0: not given
  bool flat = false, fgr = false, both = false, write = false, read = false, json = false;
};

constexpr Duration kLongestTime = std::chrono::hours(24 * 30);

/// Returns the setup that the command line describes.
Result<TrialSetup> trial_setup(const SimulateOptions& options, const plan::Site& site) {
  TrialSetup setup = options.setup;
  setup.write = !options.read;
  if (!options.time.empty()) {
    const auto time = text::parse_duration(options.time);
    if (!time) return tl::unexpected(time.error());
    if (*time == Duration{} || *time > kLongestTime)
      return fail(-EINVAL, "--time is more than 0, and at most 30 days");
    setup.seconds = std::chrono::duration<double>(*time).count();
  }
  if (!options.bytes.empty()) {
    const auto bytes = text::parse_bytes(options.bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    if (*bytes == 0) return fail(-EINVAL, "--bytes is more than 0");
    setup.bytes_per_oss = *bytes;
  }
  if (!options.lose_at.empty()) {
    const auto at = text::parse_duration(options.lose_at);
    if (!at) return tl::unexpected(at.error());
    setup.lose_at = *at;
  }
  std::vector<Loss> losses;
  for (const std::string& text : options.losses) {
    auto loss = parse_loss(text);
    if (!loss) return tl::unexpected(loss.error());
    losses.push_back(std::move(*loss));
  }
  auto lost = find_lost(site, losses);
  if (!lost) return tl::unexpected(lost.error());
  setup.lost = std::move(*lost);
  return setup;
}

Result<Outcome> simulate_one(const plan::Plan& plan, const TrialSetup& setup, const char* mode,
                             Progress& progress) {
  progress.step(fmt::format("simulating {}", mode));
  return run_trial(plan, setup, [&](double share) {
    progress.detail(fmt::format("{:.1f} % moved", 100 * share));
    return lab::StopSignal::came() == 0;
  });
}

int show_simulated(const SimulateOptions& options, const Simulated& simulated, LateFile& picture) {
  if (picture.wanted())
    if (const auto written = picture.finish(simulated_picture(simulated)); !written)
      return complain("simulate", written.error().reason);
  if (options.svg == "-") fmt::print("{}", simulated_picture(simulated));
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  if (options.json)
    fmt::print("{}\n", simulated_json(simulated).dump(2, ' ', false, kReplace));
  else if (options.svg != "-")
    fmt::print("{}", simulated_text(simulated));
  for (const Outcome& outcome : simulated.outcomes)
    for (const OssOutcome& oss : outcome.osss)
      if (!oss.seconds && !oss.lost) return kExitFound;
  return kExitDone;
}

int simulate_site(plan::Plan& plan, const SimulateOptions& options) {
  if (options.json && options.svg == "-")
    return complain("simulate", "--json and the picture both to the standard output");
  for (plan::FileSystem& system : plan.site.file_systems)
    if (options.isl > 0) system.isl_gb_per_s = options.isl;
  auto setup = trial_setup(options, plan.site);
  if (!setup) return complain("simulate", setup.error().reason);
  const bool all_flat = std::ranges::all_of(plan.site.file_systems, &plan::FileSystem::flat);
  if (all_flat && options.fgr)
    return complain("simulate", "the site's file systems are flat: it has no groups");
  std::vector<plan::Plan> plans;
  if (!options.fgr) plans.push_back(flat_plan(plan));
  if (!options.flat && !all_flat) plans.push_back(plan);
  setup->messages = options.messages != 0 ? options.messages : messages_that_fit(plans, *setup);
  auto picture = LateFile::make(options.svg == "-" ? "" : options.svg);
  if (!picture) return complain("simulate", picture.error().reason);
  Simulated simulated{.plan = plan, .setup = *setup, .losses = options.losses, .outcomes = {}};
  Progress progress;
  const lab::StopSignal signals;
  for (const plan::Plan& each : plans) {
    const bool flat = std::ranges::all_of(each.site.file_systems, &plan::FileSystem::flat);
    // The C library would keep the memory that the run before has freed, in pieces that do not fit
    // this one.
    ::malloc_trim(0);
    auto outcome = simulate_one(each, *setup, flat ? "flat" : "fine-grained", progress);
    if (!outcome) {
      progress.clear();
      complain("simulate", outcome.error().reason);
      if (outcome.error().code == -EINTR) return 128 + lab::StopSignal::came();
      return outcome.error().code == -EPROTO ? kExitFound : kExitInput;
    }
    simulated.outcomes.push_back(std::move(*outcome));
  }
  progress.clear();
  return show_simulated(options, simulated, *picture);
}

void add_simulated_load(CLI::App& command, SimulateOptions& options) {
  auto* const write = command.add_flag("--write", options.write, "the clients write (the default)");
  command.add_flag("--read", options.read, "the clients read")->excludes(write);
  auto* const time = add_value(command, "--time", options.time, "TIME",
                               "each OSS moves the amount of this time at its peak (60s)");
  add_value(command, "--bytes", options.bytes, "SIZE", "each OSS moves this amount: 100GB")
      ->excludes(time);
  add_number(command, "--clients", options.setup.files.clients, 1, 100000,
             "clients of each system (1000)");
  add_number(command, "--stripes", options.setup.files.stripes, 1, 2000,
             "OSTs over which each client's file is striped (4)");
  add_number(command, "--window", options.setup.window, 1, 1024,
             "messages that each OSS has under way at a time (16)");
  add_number(command, "--messages", options.messages, std::uint64_t{1},
             std::uint64_t{1'000'000'000},
             "simulate at most about this number of messages, each for more than 1 MiB "
             "(1000000, or the number that fits into 4 GB of memory)");
  add_value(command, "--seed", options.setup.seed, "N", "seed of the random choices (1)");
}

}  // namespace

void add_simulate_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "simulate", "the site under full load in the simulator, flat and fine-grained");
  SimulateOptions& options = run_with_plan<SimulateOptions>(command, code, simulate_site);
  auto* const flat = command.add_flag("--flat", options.flat,
                                      "simulate flat routing: all routers serve all servers");
  auto* const fgr =
      command.add_flag("--fgr", options.fgr, "simulate fine-grained routing, as planned")
          ->excludes(flat);
  command.add_flag("--both", options.both, "simulate both, one after the other (the default)")
      ->excludes(flat)
      ->excludes(fgr);
  add_simulated_load(command, options);
  add_value(command, "--lose", options.losses, "WHAT",
            "what is lost: router:NAME, cable:HOST, switch:NAME or oss:NAME; may be repeated")
      ->allow_extra_args(false);
  add_value(command, "--lose-at", options.lose_at, "TIME",
            "time of the losses (default: from the start)");
  add_value(command, "--isl", options.isl, "GB/S",
            "bandwidth of each link between switches, in each direction, in place of the site's")
      ->check(CLI::Range(0.001, 100'000.0));
  command.add_flag("--json", options.json, "print everything as JSON, for programs");
  add_value(command, "--svg", options.svg, "FILE",
            "a picture of the OSSs' times; - is the standard output");
}

}  // namespace ulnet::tools::fgr
