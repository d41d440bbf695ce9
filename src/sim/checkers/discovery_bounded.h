// Discovery ends: a node begins few pings and pushes to a peer as long as nothing changes. Changes
// are: the node's own info or configuration, the info that the peer reports, the peer's
// incarnation, a failed discovery, a call for a discovery, an administrator's `peer del`, a peer
// that was forgotten because it was idle, and a check of the peer as a gateway that has ended: each
// causes a push, and several checks may be under way. Two nodes therefore do not answer each
// other's pushes for ever. Source: spec/multirail.md 4.1, 4.2, 4.4, 9.4.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "lnet/wire/ping_info.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class DiscoveryBounded final : public Checker {
 public:
  /// The most pings and pushes after one change: a ping, one more into a larger buffer, a push; and
  /// the same once more when a push of the peer could not be read.
  static constexpr std::uint32_t kMax = 6;

  DiscoveryBounded() : Checker("discovery bounded", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  struct Count {
    std::uint32_t begun = 0;
    std::uint32_t sequence = 0;  ///< the last that the peer has reported
    Handle last;                 ///< the Portal0Md of the last ping or push
  };
  struct Record {
    wire::PingInfo info;  ///< the node's own info
    /// Peers forgotten because they were idle or to make room for others.
    std::uint64_t forgotten = 0;
    std::map<Nid, Count> peers;  ///< by primary NID
    /// Portal0Mds that have not ended, of checks of gateways
    std::vector<std::pair<Handle, Nid>> checks;
  };
  void note_ended_checks(const ShardStep& step, Record& record);
  void look_at(World& world, const ShardStep& step, Record& record, const core::Portal0Md& begun);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
