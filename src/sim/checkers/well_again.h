// A minute after all faults have ended the world is well: no discovery is under way; an NI or peer
// NI in recovery has full health if the pings that became due were enough for it; a gateway that
// has answered is up. Exceptions by the specification: with health_sensitivity 0 health does not
// move (5.1); the next ping may be as far away as pings before were in vain, and each raises health
// by the sensitivity only (7); who was never heard of is not pinged, nor who aged out (7). A node
// where a message fails in that minute, or breaks off as it arrives, is not judged: somebody turns
// it away, or has gone, or the other end of a connection had, each of which costs health and takes
// routes down (5.2, 9.4).
// Gateways are judged by what they answer in that minute, since they are asked by interval (9.4),
// and by their near side, if they say that it is up: an NI whose health is 0 is down, and their far
// side is down where nobody visits it (5.1, 9.5). One that disconnects after its answer is down
// until it is heard again, and is asked at once (8, 9.4). The discovery of a gateway may be under
// way at any time, because of its checks (9.4). Source:
// spec/multirail.md 4.2, 5.1, 5.2, 7, 8, 9.3, 9.4, 9.5.
#pragma once

#include <utility>
#include <vector>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class WellAgain final : public Checker {
 public:
  WellAgain() : Checker("well again", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_calm(World& world, bool ends) override;

 private:
  /// When an NI that is in recovery will be well.
  struct WellBy {
    Handle self;
    std::uint64_t since = 0;  ///< core::InRecovery::since: another one is another recovery
    Instant when{};
  };
  struct Record {
    Instant began{};
    /// Of those in recovery: when each has full health at the latest, if its pings are answered.
    std::vector<WellBy> well_by;
  };
  /// Messages of a node that have failed.
  struct Failures {
    std::uint64_t broken_off = 0;  ///< as they arrived
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
