// The report of an experiment, for people and for programs. docs/LAB.md documents the JSON and the
// CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/judge.h"

namespace ulnet::tools::lab {

/// One run of an experiment: live, or in the simulator.
struct Trial {
  Measured measured;
  Judgement judgement;
};

/// Returns tables: the results of the loads, the effect of each fault on them, and whether the
/// expectations are met.
std::string report_text(const Experiment& experiment, const Trial& trial);
/// Returns a table of the effect of each fault on each load in both trials. Absolute rates may
/// differ, since machines do. Shares of the rate before should be equal: the table shows their
/// ratio.
std::string side_by_side(const Experiment& experiment, const Trial& live, const Trial& simulated);

/// {"name", "about", "lasts_s", "faults", "good", "trials": [{"where", "seed" or "late_s",
/// "faults", "loads", "expectations", "remarks"}]}; with two trials also "ratios".
nlohmann::json report_json(const Experiment& experiment, const std::vector<Trial>& trials);
/// Returns CSV: a header, and a line for each load and interval of each trial.
std::string report_csv(const Experiment& experiment, const std::vector<Trial>& trials);
/// Draws an SVG: a panel for each trial with a curve for each load, and the faults. Pings have
/// panels of their own, in operations a second.
std::string report_picture(const Experiment& experiment, const std::vector<Trial>& trials);

// The figures of reports as text.

/// Returns "12.5 MB/s", "830 /s" for pings; "-" without a rate.
std::string rate_words(const ExperimentLoad& load, std::optional<double> rate);
/// Returns "0.52"; "-" without a share.
std::string share_words(std::optional<double> share);
/// Returns how long the rate took to recover after a fault: "2.5 s" or "never". "-": the fault did
/// not overlap the load.
std::string back_words(const FaultEffect& effect);
/// Returns `a` divided by `b`, if both exist.
std::optional<double> ratio(std::optional<double> a, std::optional<double> b);
/// Returns "at 6s for 10s", "from 6s on".
std::string time_words(const ExperimentFault& fault);
/// Returns the rows as lines of columns. The first `left` columns are left-aligned, the others
/// right-aligned.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t left);

}  // namespace ulnet::tools::lab
