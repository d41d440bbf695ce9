// Live validation of a site: the questions for its hosts, their answers, and the few cables, ports,
// hosts and files that explain the differences from the plan. It does no I/O: fgr/hosts/ask.h asks
// the questions. Source: design document 004, sections III.A and V; docs/spec/cli-lnetctl.md 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/plan/host_config.h"

namespace ulnet::plan {

/// A machine that is verified.
struct VerifyHost {
  std::string name;
  HostConfig::Kind kind = HostConfig::Kind::kServer;
  std::size_t config = 0;      ///< index in VerifyChecks::configs
  std::vector<Nid> nids;       ///< as planned; empty for clients, whose addresses are patterns
  std::string at_switch;       ///< switch of the servers' fabric; empty for clients
  std::vector<NetId> fabrics;  ///< its nets on the servers' fabric: of groups, and among servers

  bool is(HostConfig::Kind which) const { return kind == which; }
  bool has(const Nid& nid) const;
  bool is_on_fabric(NetId net) const;  ///< whether the net is one of `fabrics`
};
struct PingTarget {
  std::size_t host = 0;  ///< index in VerifyChecks::hosts
  Nid nid;
};
/// A client as the caller names it.
struct NamedClient {
  std::string name;
  std::size_t system = 0;  ///< index in Site::clients
};

/// The questions of a verification.
struct VerifyChecks {
  Plan plan;
  std::vector<HostConfig> configs;
  std::vector<VerifyHost> hosts;               ///< routers, servers, then the named clients
  std::vector<std::vector<PingTarget>> pings;  ///< by host: the targets of its pings

  /// Returns the host of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// Returns the router that has one of these NIDs on its clients' net; else the host with most of
  /// these NIDs. Nothing when no NID is planned.
  std::optional<std::size_t> owner_of(std::span<const Nid> nids) const;
};
/// Returns the checks of a plan. Routers ping the servers of their groups on the groups' nets.
/// Servers ping the routers of their groups, at each address, and the MGS and the MDSs on the net
/// among the servers. Clients ping all servers that they have routes to, and the routers of their
/// system on their own net.
VerifyChecks checks_of(const Plan& plan, const std::vector<NamedClient>& clients);

struct SeenRoute {
  NetId net;
  Nid gateway;
  int hops = -1;           ///< -1: not given
  std::optional<bool> up;  ///< nothing: not reported
  std::string why;         ///< why it is down; may be empty
};
struct SeenNi {
  Nid nid;
  bool up = true;
};
/// The answer to a ping, or the reason why it has no answer.
struct SeenPing {
  PingTarget target;
  bool answered = false;
  std::vector<Nid> nids;  ///< all NIDs of the node that answered
  std::string trouble;
  unsigned asked = 1;  ///< how often it was sent; all but the last time without an answer
};
/// The observations of a host.
struct HostSeen {
  enum class State : std::uint8_t { kNotAsked, kAsked, kSilent } state = State::kNotAsked;
  std::string trouble;            ///< silent: why it could not be asked
  std::vector<SeenNi> nis;        ///< without 0@lo
  std::vector<SeenRoute> routes;  ///
  std::optional<bool> routing;    ///< nothing: not reported
  std::vector<SeenPing> pings;

  bool asked() const { return state == State::kAsked; }
};

struct VerifySuspect {
  enum class Kind : std::uint8_t { kCable, kPort, kHost, kFile } kind = Kind::kHost;
  std::string cause;               ///< one word from the list in docs/FGR.md: "exchanged"
  std::string name;                ///< the cable, port, host or file: "lnetctl/router1.yaml"
  std::vector<std::string> hosts;  ///< the owner, or the hosts that a file's mistake affects
  std::string what;                ///< a sentence without its end
  std::string cure;
  std::vector<std::string> seen;  ///< a few of the observations that show it
};
std::string_view to_string(VerifySuspect::Kind kind);

struct VerifyVerdict {
  std::vector<VerifySuspect> suspects;
  std::size_t asked = 0, pings = 0, answered = 0;
  /// those of the answered pings that were answered only after a repetition
  std::size_t again = 0;
};

/// Finds the suspects. `seen` has an entry for each of the hosts (asserted); `cables` are the known
/// cables of the fabric. Each cause gives one suspect: consequences of another suspect are not
/// reported.
VerifyVerdict diagnose(const VerifyChecks& checks, const std::vector<HostSeen>& seen,
                       const std::vector<SeenCable>& cables);

}  // namespace ulnet::plan
