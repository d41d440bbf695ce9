// The report of an experiment, for people and for programs. docs/LAB.md documents the JSON and the
// CSV.
#pragma once

#include <nlohmann/json.hpp>
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

}  // namespace ulnet::tools::lab
