// The output of hints: tables for people, JSON for programs. Source: docs/FGR.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fgr/hints/hints.h"
#include "fgr/hints/router_links.h"

namespace ulnet::tools::fgr {

struct RankedHints {
  std::size_t client = 0;  ///< index in Site::clients
  std::vector<plan::RouterLoad> loads;
  plan::NodeMap map;
  plan::Ranking ranking;
  std::vector<std::size_t> candidates;   ///< indices in NodeMap::names()
  std::vector<plan::RouterLinks> links;  ///< for a torus
};
struct Hints {
  std::size_t file_system = 0;       ///< index in Site::file_systems
  std::vector<std::size_t> clients;  ///< indices in Site::clients: those that the output covers
  std::vector<plan::GroupHint> groups;
  std::optional<RankedHints> ranked;
};

/// Returns a table of the links of the routers' places, with the traffic over each link in percent
/// of the data that the job writes.
std::string links_table(const plan::Plan& plan, const RankedHints& ranked);

std::string hints_text(const plan::Plan& plan, const Hints& hints);
nlohmann::ordered_json hints_json(const plan::Plan& plan, const Hints& hints);

}  // namespace ulnet::tools::fgr
