// What a log says of a plan's hardware: which groups and hosts its NIDs belong to, and where to
// look first. Source: design document 004, section III (its last paragraphs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fgr/log/log_scanner.h"
#include "fgr/log/nid_owners.h"

namespace ulnet::plan {

/// Mentions of NIDs (a line counts once for each NID that it names), and what went wrong.
struct Mentions {
  std::uint64_t all = 0;
  std::uint64_t troubled = 0;
  std::array<std::uint64_t, kTroubles> by_trouble{};

  void add(const NidCount& count);
};

struct MentionedHost {
  NidOwner::Kind kind = NidOwner::Kind::kServer;
  std::string name;   ///< "snx11001n004", "nid00750"; of a client its NID
  std::string where;  ///< "rack R0, switch left0"; "c0-0c0s5n0, switch left0"; "a client of xe"
  std::optional<std::size_t> group;  ///< a server's, or where a router is a primary one
  Mentions mentions;
  std::vector<NidCount> nids;
};
struct MentionedGroup {
  std::size_t group = 0;  ///< in Plan::groups
  Mentions mentions;      ///< of NIDs on its net, and of its primary routers' on their clients' net
  double expected = 0;    ///< of those that are weighed, were all hosts alike
};
struct MentionedClients {
  std::size_t system = 0;  ///< in Site::clients
  std::uint64_t nids = 0;
  Mentions mentions;
};

/// Where mentions are concentrated.
struct Suspect {
  enum class Kind : std::uint8_t { kServer, kRouter, kClient, kGroup, kSwitch, kFileSystem };
  Kind kind = Kind::kServer;
  std::string name;                    ///< "group home 004"
  std::string where;                   ///< "net o2ib6004, switch left0"
  std::uint64_t mentions = 0, of = 0;  ///< `of` is less those of the suspects before it
  double expected = 0;
  Mentions what;                                             ///< went wrong
  std::vector<std::pair<std::string, std::uint64_t>> hosts;  ///< the most mentioned first
  std::string look;                                          ///< a sentence: what to look at
};

struct LogExplanation {
  LogCounts counts;
  /// Where some lines have a word for trouble only mentions in those are weighed; else all are.
  bool only_troubled = false;
  std::vector<Suspect> suspects;
  // The most mentioned first.
  std::vector<MentionedGroup> groups;
  std::vector<MentionedHost> hosts;  ///< servers, routers and clients
  std::vector<MentionedClients> clients;
  std::vector<NidCount> strays;   ///< a host of the site with the net of another group
  std::vector<NidCount> unknown;  ///< of nobody in the site

  std::uint64_t weight(const NidCount& count) const {
    return only_troubled ? count.troubled : count.mentions;
  }
  std::uint64_t weight(const Mentions& mentions) const {
    return only_troubled ? mentions.troubled : mentions.all;
  }
};

/// At most so many suspects.
LogExplanation explain_log(const Plan& plan, LogCounts counts, std::size_t most_suspects);

/// "home 004".
std::string group_name(const Plan& plan, std::size_t group);

/// For people; of each table so many lines.
std::string explanation_text(const Plan& plan, const LogExplanation& explanation, std::size_t top);

}  // namespace ulnet::plan
