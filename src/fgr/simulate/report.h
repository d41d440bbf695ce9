// What came of a simulation, for people and for programs. Source: docs/FGR.md, "simulate".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fgr/simulate/trial.h"

namespace ulnet::tools::fgr {

/// Of one site with one load: flat, fine-grained, or both, in the order in which they are shown.
struct Simulated {
  const plan::Plan& plan;  ///< by whose groups OSSs are shown, also those of a flat run
  const TrialSetup& setup;
  std::vector<std::string> losses;  ///< as they were written: "router:nid00750"
  std::vector<Outcome> outcomes;
};

/// "flat", "fine-grained".
std::string_view mode_of(const Outcome& outcome);

/// Groups that have OSSs; these in the order of the site.
struct ShownGroup {
  const plan::Group* group = nullptr;
  std::vector<std::size_t> servers;  ///< in FileSystem::servers
  std::vector<std::size_t> osss;     ///< in Outcome::osss
};
std::vector<ShownGroup> shown_groups(const Simulated& simulated);

/// "home 004"; of a flat file system "home".
std::string name_of(const plan::Plan& plan, const plan::Group& group);

/// What was simulated, a line for each outcome, and tables of groups and of links.
std::string simulated_text(const Simulated& simulated);

/// Seconds and bytes; what did not come to its end has null.
nlohmann::ordered_json simulated_json(const Simulated& simulated);

/// SVG 1.1: a panel for each outcome, in it a bar for each OSS: the time until it had moved its
/// amount. OSSs of a group stand together, with its name below, and their numbers where there is
/// room. A bar of more than a tenth above the median of its panel has a hatch, and a cross is in
/// the place of one that did not end. In the last panel are curves: how long messages took.
std::string simulated_picture(const Simulated& simulated);

}  // namespace ulnet::tools::fgr
