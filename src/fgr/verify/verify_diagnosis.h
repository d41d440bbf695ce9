// The steps of diagnose() (fgr/verify/verify.h), and what they share: the observations, which they
// read, and the suspects, which they add to. A host is given by its index in VerifyChecks::hosts.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fgr/verify/verify.h"

namespace ulnet::plan {

/// The hosts as planned and as seen, and which of them has which NID.
class Observations {
 public:
  /// `checks` and `seen` must outlive this object.
  Observations(const VerifyChecks& checks, const std::vector<HostSeen>& seen);

  const VerifyChecks& checks() const { return checks_; }
  std::size_t hosts() const { return seen_.size(); }
  const VerifyHost& host(std::size_t index) const { return checks_.hosts[index]; }
  const HostConfig& config(std::size_t index) const { return checks_.configs[host(index).config]; }
  const HostSeen& seen(std::size_t index) const { return seen_[index]; }

  /// Returns the NIDs that the host reports; for a host that was not asked, the NIDs in its answers
  /// to pings.
  const std::vector<Nid>& nids(std::size_t index) const { return nids_[index]; }
  /// Whether it is known which NIDs the host has.
  bool knows_nids(std::size_t index) const { return seen(index).asked() || !nids(index).empty(); }
  /// Returns the NIDs of the interfaces that the host reports as down.
  std::vector<Nid> down_nids(std::size_t index) const;

  /// Returns the router or server that is to have this NID.
  std::optional<std::size_t> owner_of(const Nid& nid) const;
  /// As VerifyChecks::owner_of(), but fast if one host has all of them.
  std::optional<std::size_t> owner_of(const std::vector<Nid>& nids) const;

  /// Returns the name of a host's file. All clients of a system share one file, so the name
  /// includes the client whose copy is meant.
  std::string file_of(std::size_t index) const;
  /// Returns "router1 -> server1 10.0.0.1@o2ib1: no answer".
  std::string text_of(std::size_t from, const SeenPing& ping) const;

 private:
  const VerifyChecks& checks_;
  const std::vector<HostSeen>& seen_;
  std::map<Nid, std::size_t> owners_;
  std::vector<std::vector<Nid>> nids_;
};

/// The suspects so far, and the hosts whose failures they explain.
class Suspects {
 public:
  explicit Suspects(std::size_t hosts) : explained_(hosts), routed_explained_(hosts) {}

  void accuse(VerifySuspect suspect) { all_.push_back(std::move(suspect)); }
  /// Accuses the cables of two hosts of being exchanged, unless this was already reported.
  /// `suspect` has their names as `hosts`; its kind, cause and name are set here.
  void accuse_exchange(std::size_t one, std::size_t other, VerifySuspect suspect) {
    if (!exchanged_.insert(std::minmax(one, other)).second) return;
    suspect.kind = VerifySuspect::Kind::kCable;
    suspect.cause = "exchanged";
    suspect.name = suspect.hosts[0] + " and " + suspect.hosts[1];
    accuse(std::move(suspect));
  }
  /// Notes that a suspect explains every failure at the host.
  void blame(std::size_t host) { explained_[host] = routed_explained_[host] = true; }
  /// Notes that a suspect explains only those failures at the host whose messages pass routers.
  void blame_routes(std::size_t host) { routed_explained_[host] = true; }

  /// Whether a suspect explains every failure at the host.
  bool explain(std::size_t host) const { return explained_[host] != 0; }
  /// Whether a suspect explains the failures at the host whose messages pass routers.
  bool explain_routed(std::size_t host) const { return routed_explained_[host] != 0; }
  /// Moves the suspects out, in the order in which they were accused.
  std::vector<VerifySuspect> take() { return std::move(all_); }

 private:
  std::vector<VerifySuspect> all_;
  std::vector<char> explained_, routed_explained_;
  /// the pairs of accuse_exchange(); the smaller one first
  std::set<std::pair<std::size_t, std::size_t>> exchanged_;
};

// The steps, in their order. Each judges one kind of observation: it names suspects, and blames the
// hosts whose other failures these explain. It passes over what earlier suspects explain.

/// Judges the interfaces that hosts report as down, except those of routers: see judge_ports().
void judge_interfaces(const Observations& of, Suspects& suspects);
/// Finds hosts with addresses that are not their own.
void judge_addresses(const Observations& of, Suspects& suspects);
/// Finds hosts that are plugged into another switch than planned. If two hosts are at each other's
/// switch, and are the only such hosts there, their cables were exchanged.
void judge_cables(const Observations& of, const std::vector<SeenCable>& cables, Suspects& suspects);
/// Finds hosts that lack nets or have other nets.
void judge_nets(const Observations& of, Suspects& suspects);
/// Finds routers that do not route, and other hosts that do.
void judge_routing(const Observations& of, Suspects& suspects);
/// Compares the routes of each host with the planned ones. Returns the hosts that lack routes.
std::set<std::size_t> judge_routes(const Observations& of, Suspects& suspects);
/// Judges ports by the pings between them, then the interfaces that routers report as down, then
/// the links and paths between ports. Failed pings of the hosts in `lack_routes` do not count
/// against their targets.
void judge_ports(const Observations& of, const std::set<std::size_t>& lack_routes,
                 Suspects& suspects);
/// If another host answers at an address, its other NIDs show which host it is.
void judge_answers(const Observations& of, Suspects& suspects);
/// Reports planned routes that are present but down, although neither host nor gateway is a
/// suspect.
void judge_route_states(const Observations& of, Suspects& suspects);
/// Reports clients that do not reach a server although neither its routers nor any routes are
/// suspects.
void judge_routed_pings(const Observations& of, Suspects& suspects);
/// Reports hosts that could not be asked, although they answer pings or nobody pings them.
void judge_unasked(const Observations& of, Suspects& suspects);

std::vector<std::string> texts_of(const std::vector<Nid>& nids);
/// Returns at most `most` of the words, then how many more there are: "a, b and 7 more".
std::string few_of(const std::vector<std::string>& words, std::size_t most = 4);

}  // namespace ulnet::plan
