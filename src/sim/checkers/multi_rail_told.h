// What a node believes of a peer's features is what that peer last told: only who says multi-rail
// and discovery has multi-rail in its directory, has several NIDs there, and is pushed to; of any
// other peer each NID is a peer by itself. A peer that has told both, and then tells less, is
// deleted with all its NIDs. Peers that an administrator or a service has declared are exempt, and
// so are all of a node whose discovery only verifies, or did so: it keeps what it had, whatever
// peers told it meanwhile. Source: spec/multirail.md 4.1, 4.2, 4.4, 4.9, spec/wire-lnet.md 5, 6.
#pragma once

#include <map>
#include <vector>

#include "lnet/wire/ping_info.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class MultiRailTold final : public Checker {
 public:
  MultiRailTold() : Checker("multi-rail as told", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// An info that has landed in memory of the control shard.
  struct Landed {
    Handle md;               ///< the Portal0Md, which goes in the step that takes the info
    bool asked_for = false;  ///< by a ping of discovery; else pushed, or by a check of a gateway
    wire::PingInfo info;
  };
  struct Told {
    std::map<Nid, bool> both;  ///< whether the last info of a NID's peer said both
    bool verified = false;     ///< discovery only verified at some time
  };
  static bool is_exempt(const Told& told, const core::Peer& peer);
  void take_down(World& world, const ShardStep& step, const Landed& landed, const Nid& peer);
  void look_at_pushes(World& world, const ShardStep& step);

  PerNode<Told> told_;
  std::vector<Landed> landed_;   ///< before the step
  std::uint64_t overtaken_ = 0;  ///< infos that were not taken over, before the step
};

}  // namespace ulnet::sim
