// run: an experiment, live or in the simulator, or both.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "lab/commands.h"
#include "lab/experiment/reader.h"
#include "lab/experiment/report.h"
#include "lab/experiment/run_live.h"
#include "lab/experiment/simulate.h"
#include "lab/live/stop_signal.h"
#include "lab/topology/examples.h"

namespace ulnet::tools::lab {
namespace {

struct ExperimentOptions {
  std::string file, json, svg, csv;
  LiveOptions live;
  bool simulate = false, both = false;
  std::uint64_t seed = 1;
};

bool in_simulator(const ExperimentOptions& options) { return options.simulate || options.both; }
bool live(const ExperimentOptions& options) { return !options.simulate || options.both; }

/// Files are opened first, so that no experiment runs in vain. "-" is standard output.
struct Output {
  std::string path;
  std::ofstream file;

  explicit Output(std::string to) : path(std::move(to)) {
    if (!path.empty() && path != "-") file.open(path);
  }
  bool wanted() const { return !path.empty(); }
  bool good() const { return path.empty() || path == "-" || file.good(); }
  /// Writes the text. On an error prints a message and returns false.
  bool write(const std::string& text) {
    if (!wanted()) return true;
    if (path == "-") return std::fputs(text.c_str(), stdout) >= 0;
    file << text << std::flush;
    if (!file) complain("cannot write " + path + ": " + std::strerror(errno));
    return file.good();
  }
};

Result<std::vector<Trial>> trials_of(const Experiment& experiment,
                                     const ExperimentOptions& options) {
  Progress progress;
  std::vector<Trial> trials;
  const auto add = [&](Result<Measured> measured) -> Result<void> {
    if (!measured) return tl::unexpected(measured.error());
    Judgement judgement = judge(experiment, *measured);
    trials.push_back({std::move(*measured), std::move(judgement)});
    return {};
  };
  if (live(options)) {
    const StopSignal signals;
    if (const auto ran = add(run_live(experiment, options.live, progress)); !ran)
      return tl::unexpected(ran.error());
    if (StopSignal::came() != 0) return fail(-EINTR, "interrupted");
  }
  // A signal may end the program at once here, since a simulation leaves nothing behind.
  if (in_simulator(options)) {
    progress.step("simulating " + text::duration_text(experiment.lasts));
    if (const auto ran = add(simulate(experiment, options.seed)); !ran)
      return tl::unexpected(ran.error());
  }
  return trials;
}

std::string text_of(const Experiment& experiment, const std::vector<Trial>& trials) {
  std::string text;
  for (const Trial& trial : trials)
    text += (text.empty() ? "" : "\n") + report_text(experiment, trial);
  if (trials.size() == 2) text += "\n" + side_by_side(experiment, trials[0], trials[1]);
  return text;
}

/// Returns the experiments that are installed with the program.
std::string examples_text() {
  std::string names;
  for (const auto& file : example_experiments())
    names += (names.empty() ? "" : ", ") + file.stem().string();
  return names;
}

int run(ExperimentOptions options) {
  const std::filesystem::path file = experiment_file(options.file);
  if (std::error_code none; !std::filesystem::exists(file, none))
    return complain("there is no experiment " + options.file + "; with the program come " +
                    examples_text());
  auto experiment = read_experiment_file(file);
  if (!experiment) {
    std::fputs(conf::lines_of(experiment.error()).c_str(), stderr);
    return kExitConfiguration;
  }
  if (const conf::Problems cannot = not_on_loopback(*experiment);
      live(options) && !options.live.spaces && !cannot.empty()) {
    std::fputs(conf::lines_of(conf::in_file(cannot, file.string())).c_str(), stderr);
    return kExitConfiguration;
  }
  if (options.live.name.empty()) options.live.name = file.stem().string();
  Output json(options.json), svg(options.svg), csv(options.csv);
  for (const Output* output : {&json, &svg, &csv})
    if (!output->good())
      return complain("cannot write " + output->path + ": " + std::strerror(errno));
  const auto trials = trials_of(*experiment, options);
  if (!trials) {
    complain(trials.error().reason);
    return trials.error().code == -EINTR ? 128 + StopSignal::came() : kExitFailed;
  }
  const bool to_programs = options.json == "-" || options.csv == "-" || options.svg == "-";
  if (!to_programs) std::fputs(text_of(*experiment, *trials).c_str(), stdout);
  // Names of files are bytes, but JSON takes only UTF-8.
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  bool good = json.write(report_json(*experiment, *trials).dump(2, ' ', false, kReplace) + "\n");
  good = svg.write(report_picture(*experiment, *trials)) && good;
  good = csv.write(report_csv(*experiment, *trials)) && good;
  for (const Trial& trial : *trials) good = good && trial.judgement.good();
  return good ? kExitDone : kExitFailed;
}

int list_experiments() {
  return list_examples(example_experiments(), "experiments", "lab/experiments",
                       [](const std::filesystem::path& file) {
                         const auto experiment = read_experiment_file(file);
                         return experiment ? experiment->about : "wrong: see 'ulnet-lab run'";
                       });
}

}  // namespace

void add_run_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "run", "run an experiment: loads, faults at their times, and the expected results");
  ExperimentOptions& options = run_with<ExperimentOptions>(command, code, run);
  command.footer(
      "  ulnet-lab run lost-router-fgr --simulate\n"
      "  sudo ulnet-lab run lost-router-fgr --netns --both --svg curves.svg\n"
      "Exit code 1: an expectation is not met.");
  add_argument(command, "EXPERIMENT", options.file,
               "the file, as YAML; or the name of one that 'experiments' lists");
  auto* const simulated =
      command.add_flag("--simulate", options.simulate, "run in the simulator; no node is started");
  command.add_flag("--both", options.both, "run live and in the simulator, side by side")
      ->excludes(simulated);
  command
      .add_flag(
          "--netns", options.live.spaces,
          "run live, in network namespaces, where wires have rates, as root; else on loopback")
      ->excludes(simulated);
  add_value(command, "--seed", options.seed, "N", "seed of the simulator (default: 1)");
  add_value(command, "--name", options.live.name, "NAME",
            "name of the laboratory (default: the file's name)")
      ->excludes(simulated);
  command.add_flag("--keep", options.live.keep, "do not take the laboratory down at the end")
      ->excludes(simulated);
  add_value(command, "--json", options.json, "FILE", "write the report as JSON");
  add_value(command, "--svg", options.svg, "FILE", "draw the curves");
  add_value(command, "--csv", options.csv, "FILE", "write the samples");

  CLI::App& list_app =
      *app.add_subcommand("experiments", "list the experiments that come with ulnet-lab");
  on_command(list_app, code, list_experiments);
}

}  // namespace ulnet::tools::lab
