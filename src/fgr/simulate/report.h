// The report of a simulation, for people and for programs. Source: docs/FGR.md, "simulate".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fgr/simulate/trial.h"

namespace ulnet::tools::fgr {

/// The simulation of one site with one load: flat, fine-grained, or both, in the order in which
/// they are shown.
struct Simulated {
  const plan::Plan& plan;  ///< its groups divide the OSSs in the report, also those of a flat run
  const TrialSetup& setup;
  std::vector<std::string> losses;  ///< as the user wrote them: "router:nid00750"
  std::vector<Outcome> outcomes;
};

/// Returns "flat", "fine-grained".
std::string_view mode_of(const Outcome& outcome);

/// A group that has OSSs, which are in the order of the site.
struct ShownGroup {
  const plan::Group* group = nullptr;
  std::vector<std::size_t> servers;  ///< indices in FileSystem::servers
  std::vector<std::size_t> osss;     ///< indices in Outcome::osss
};
std::vector<ShownGroup> shown_groups(const Simulated& simulated);

/// Returns "home 004"; for a flat file system "home".
std::string name_of(const plan::Plan& plan, const plan::Group& group);

/// Returns the simulated site and load, a line for each outcome, and tables of groups and of links.
std::string simulated_text(const Simulated& simulated);

/// Returns the report in seconds and bytes; an OSS that did not finish has null.
nlohmann::ordered_json simulated_json(const Simulated& simulated);

/// Draws an SVG 1.1: a panel for each outcome, with a bar for each OSS: the time until it had moved
/// its amount. OSSs of a group stand together, with the group's name below, and with their numbers
/// if there is room. A bar of more than a tenth above the median of its panel has a hatch; an OSS
/// that did not finish has a cross instead. The last panel has curves of the times that messages
/// took.
std::string simulated_picture(const Simulated& simulated);

}  // namespace ulnet::tools::fgr
