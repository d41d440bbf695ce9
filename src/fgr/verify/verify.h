// Live validation of a site: what has to be asked of its hosts, what they said, and which few
// cables, ports, hosts and files explain what is not as planned. Pure: who asks is
// tools/fgr/verify. Source: design document 004, sections III.A and V; docs/spec/cli-lnetctl.md 4.
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
  std::size_t config = 0;      ///< in VerifyChecks::configs
  std::vector<Nid> nids;       ///< as planned; of clients none: their addresses are patterns
  std::string at_switch;       ///< of the servers' fabric; empty for clients
  std::vector<NetId> fabrics;  ///< its own on the servers' fabric: groups', and among servers

  bool is(HostConfig::Kind which) const { return kind == which; }
  bool has(const Nid& nid) const;
};
struct PingTarget {
  std::size_t host = 0;  ///< in VerifyChecks::hosts
  Nid nid;
};
/// A client as the caller knows it.
struct NamedClient {
  std::string name;
  std::size_t system = 0;  ///< in Site::clients
};

/// What is to be asked.
struct VerifyChecks {
  Plan plan;
  std::vector<HostConfig> configs;
  std::vector<VerifyHost> hosts;               ///< routers, servers, then the named clients
  std::vector<std::vector<PingTarget>> pings;  ///< by host, who is to be pinged from there

  /// The host of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// Whose NIDs these are: the host with most of them, of a client one that is `among` the named
  /// ones. Nothing when no planned NID is among them.
  std::optional<std::size_t> owner_of(std::span<const Nid> nids) const;
};
/// Routers ping the servers of their groups on the groups' nets; servers the routers of their
/// groups, at each address, and on the net among the servers the MGS and the MDSs; clients all
/// servers to which they have routes, and the routers of their system on their own net.
VerifyChecks checks_of(const Plan& plan, const std::vector<NamedClient>& clients);

struct SeenRoute {
  NetId net;
  Nid gateway;
  int hops = -1;           ///< -1: not given
  std::optional<bool> up;  ///< nothing: not told
  std::string why;         ///< why it is down; may be empty
};
struct SeenNi {
  Nid nid;
  bool up = true;
};
/// An answer to a ping, or why there was none.
struct SeenPing {
  PingTarget target;
  bool answered = false;
  std::vector<Nid> nids;  ///< all NIDs of who answered
  std::string trouble;
  unsigned asked = 1;  ///< how often; all but the last time in vain
};
/// What was seen at a host.
struct HostSeen {
  enum class State : std::uint8_t { kNotAsked, kAsked, kSilent } state = State::kNotAsked;
  std::string trouble;            ///< silent: why it could not be asked
  std::vector<SeenNi> nis;        ///< without 0@lo
  std::vector<SeenRoute> routes;  ///
  std::optional<bool> routing;    ///< nothing: not told
  std::vector<SeenPing> pings;

  bool asked() const { return state == State::kAsked; }
};

struct VerifySuspect {
  enum class Kind : std::uint8_t { kCable, kPort, kHost, kFile } kind = Kind::kHost;
  std::string cause;               ///< one word, docs/FGR.md has the list: "exchanged"
  std::string name;                ///< the cable, port, host or file: "lnetctl/router1.yaml"
  std::vector<std::string> hosts;  ///< whose it is, or who are affected by a file's mistake
  std::string what;                ///< a sentence without its end
  std::string cure;
  std::vector<std::string> seen;  ///< a few of the observations that say so
};
std::string_view to_string(VerifySuspect::Kind kind);

struct VerifyVerdict {
  std::vector<VerifySuspect> suspects;
  std::size_t asked = 0, pings = 0, answered = 0;
  std::size_t again = 0;  ///< of those answered: only when asked again
};

/// `seen` has an entry for each of the hosts (asserted), `cables` what is known of the fabric. One
/// cause is one suspect: what follows from another's mistake is not told of.
VerifyVerdict diagnose(const VerifyChecks& checks, const std::vector<HostSeen>& seen,
                       const std::vector<SeenCable>& cables);

}  // namespace ulnet::plan
