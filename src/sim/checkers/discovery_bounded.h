// Discovery ends: a node begins few pings and pushes to a peer as long as nothing has changed. A
// change is: the node's own info or configuration, what the peer tells, the peer's incarnation, a
// discovery that failed, a call for one, an administrator's `peer del`, a peer that was forgotten
// because it was idle, a check of the peer as a gateway that has ended: each is answered by a push,
// and several may be out. So two nodes do not answer each other's pushes for ever. Source:
// spec/multirail.md 4.1, 4.2, 4.4, 9.4.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "lnet/wire/ping_info.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class DiscoveryBounded final : public Checker {
 public:
  /// Pings and pushes after one change: a ping, one more into a larger buffer, a push; and the same
  /// once more when a push of the peer could not be read.
  static constexpr std::uint32_t kMost = 6;

  DiscoveryBounded() : Checker("discovery bounded", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  struct Count {
    std::uint32_t begun = 0;
    std::uint32_t sequence = 0;  ///< that the peer has told
    Handle last;                 ///< the Portal0Md of the ping or push that was begun last
  };
  struct Record {
    wire::PingInfo info;                         ///< of the node itself
    std::uint64_t forgotten = 0;                 ///< peers, because they were idle or for others
    std::map<Nid, Count> peers;                  ///< by primary NID
    std::vector<std::pair<Handle, Nid>> checks;  ///< Portal0Mds that have not ended, of gateways
  };
  void note_ended_checks(const ShardStep& step, Record& record);
  void look_at(World& world, const ShardStep& step, Record& record, const core::Portal0Md& begun);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
