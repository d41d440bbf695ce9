// A minute after all faults have ended the world has recovered: no discovery is under way; an NI or
// peer NI in recovery has full health if the pings that became due were enough for it; a gateway
// that has answered is up.
//
// The specification allows exceptions. With health_sensitivity 0 health does not change (5.1). The
// time to the next ping may be as long as that of the unanswered pings before, and each ping raises
// health by the sensitivity only (7). A peer NI from which no message ever came is not pinged, nor
// is one that aged out (7).
//
// The checker ignores a node where a message fails in that minute, or breaks off as it arrives: a
// peer refuses the message, the peer is gone, or the other end of a connection is gone. Each of
// these lowers health and takes routes down (5.2, 9.4).
//
// Gateways are checked by their answers in that minute, since they are pinged at an interval (9.4),
// and by their near side, if they report it as up: an NI whose health is 0 is down, and their far
// side is down where no peer visits it (5.1, 9.5). A gateway that disconnects after its answer is
// down until the next message from it, and is pinged at once (8, 9.4). The discovery of a gateway
// may be under way at any time, because of its checks (9.4). Source: spec/multirail.md 4.2, 5.1,
// 5.2, 7, 8, 9.3, 9.4, 9.5.
#pragma once

#include <utility>
#include <vector>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class WellAgain final : public Checker {
 public:
  WellAgain() : Checker("world recovered", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_calm(World& world, bool ends) override;

 private:
  /// When an NI in recovery will have full health.
  struct WellBy {
    Handle self;
    std::uint64_t since = 0;  ///< core::InRecovery::since: another value means another recovery
    Instant when{};
  };
  struct Record {
    Instant began{};
    /// For each NI in recovery: the latest time at which it has full health, if its pings are
    /// answered.
    std::vector<WellBy> well_by;
  };
  /// Messages of a node that have failed.
  struct Failures {
    std::uint64_t broken_off = 0;  ///< messages that broke off as they arrived
    std::uint64_t by_last_look = 0;
    bool since_last_look = false;
  };
  void count_failures(World& world);
  bool has_failed(const SimNode& node) { return failures_.of(node).since_last_look; }
  void foresee(World& world, const core::ShardState& state, Record& record) const;
  void look_at(World& world, const SimNode& node, const core::ShardState& state,
               const Record& record) const;
  void look_at_discovery(World& world, const SimNode& node, const core::ShardState& state) const;
  void look_at_gateways(World& world, const SimNode& node, const core::ShardState& state,
                        const Record& record);

  PerNode<Record> records_;
  PerNode<Failures> failures_;
};

}  // namespace ulnet::sim
