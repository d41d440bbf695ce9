// Explains a log by a plan's hardware: which groups and hosts the NIDs in it belong to, and where
// to look first. Source: design document 004, section III (its last paragraphs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fgr/log/log_scanner.h"
#include "fgr/log/nid_owners.h"

namespace ulnet::plan {

struct MentionedHost {
  HostConfig::Kind kind = HostConfig::Kind::kServer;
  std::string name;   ///< "snx11001n004", "nid00750"; for a client its NID
  std::string where;  ///< "rack R0, switch left0"; "c0-0c0s5n0, switch left0"; "a client of xe"
  std::optional<std::size_t> group;  ///< a server's group, or the group whose primary router it is
  Mentions mentions;
  std::vector<NidCount> nids;
};
struct MentionedGroup {
  std::size_t group = 0;  ///< index in Plan::groups
  /// mentions of NIDs on its net, and of its primary routers' NIDs on their clients' net
  Mentions mentions;
  double expected = 0;  ///< weighed mentions, if all hosts had equally many
};
struct MentionedClients {
  std::size_t system = 0;  ///< index in Site::clients
  std::uint64_t nids = 0;
  Mentions mentions;
};

/// A concentration of mentions.
struct Suspect {
  enum class Kind : std::uint8_t { kServer, kRouter, kClient, kGroup, kSwitch, kFileSystem };
  Kind kind = Kind::kServer;
  std::string name;                    ///< "group home 004"
  std::string where;                   ///< "net o2ib6004, switch left0"
  std::uint64_t mentions = 0, of = 0;  ///< `of`: all mentions without those of earlier suspects
  double expected = 0;
  Mentions what;                                             ///< the mentions with their troubles
  std::vector<std::pair<std::string, std::uint64_t>> hosts;  ///< the most mentioned first
  std::string look;                                          ///< a sentence: what to look at
};

struct LogExplanation {
  LogCounts counts;
  /// True if some lines have a word for trouble: then only the mentions in those lines are weighed.
  bool only_troubled = false;
  std::vector<Suspect> suspects;
  // The most mentioned first.
  std::vector<MentionedGroup> groups;
  std::vector<MentionedHost> hosts;  ///< servers, routers and clients
  std::vector<MentionedClients> clients;
  /// NIDs with the address of a host of the site and the net of another group
  std::vector<NidCount> strays;
  std::vector<NidCount> unknown;  ///< NIDs of no host in the site

  std::uint64_t weight(const Mentions& mentions) const {
    return only_troubled ? mentions.troubled : mentions.all;
  }
};

/// Explains the counts of a log, with at most `most_suspects` suspects.
LogExplanation explain_log(const Plan& plan, LogCounts counts, std::size_t most_suspects);

/// Returns the explanation for people; each table has at most `top` lines.
std::string explanation_text(const Plan& plan, const LogExplanation& explanation, std::size_t top);
/// Returns the explanation as JSON (docs/FGR.md). Each list has at most `top` entries; "left_out"
/// is the number of those that are missing.
nlohmann::ordered_json explanation_json(const Plan& plan, const LogExplanation& explanation,
                                        std::size_t top);

}  // namespace ulnet::plan
