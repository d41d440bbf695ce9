// The node's numbers as Prometheus text. A name is ulnet_ + LNet's own word (+ _total for
// counters). Users of `stats show` recognise these words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "admin/server/counters.h"
#include "lnet/core/contract/api.h"
#include "lnet/node/runtime/state.h"

namespace ulnet::node::control {

/// Sums over all peers except 0@lo.
struct PeerSums {
  std::uint64_t peers = 0, multi_rail = 0;
  std::uint64_t up = 0, down = 0, unknown = 0;  ///< interfaces by state
  std::uint64_t queued = 0;                     ///< bytes that wait for send credits
  std::uint64_t unhealthy = 0, in_recovery = 0;
  std::uint64_t without_credits = 0;  ///< interfaces to which messages wait to be sent
  /// interfaces from which messages wait to be forwarded
  std::uint64_t without_router_credits = 0;
  std::map<std::string_view, std::uint64_t> discovery = {
      {"done", 0}, {"failed", 0}, {"none", 0}, {"to be done again", 0}, {"under way", 0}};

  void add(const core::PeerShow& peer);
};

/// The number of routes to each net.
struct RouteSums {
  struct OfNet {
    std::uint64_t up = 0, down = 0;
  };
  std::map<NetId, OfNet> nets;

  void add(const core::RouteRow& row) {
    ++(row.up() ? nets[row.route.net].up : nets[row.route.net].down);
  }
};

struct MetricsSource {
  const NodeState* state = nullptr;  ///< null: LNet is not configured
  const PeerSums& peers;
  RouteSums routes = {};
  core::call::ShowRouting routing = {};
  const ControlCounters& counters;
  std::string version;
};
/// Returns the text of one scrape. It has sums over all peers, but no counters of single peers,
/// because a node may have tens of thousands of peers.
std::string metrics_text(const MetricsSource& source);

}  // namespace ulnet::node::control
