// A node's entry of a peer has the features that the peer reported last. Only a peer that reports
// multi-rail and discovery has multi-rail in the directory, has several NIDs there, and gets
// pushes; each NID of any other peer is a peer by itself. A peer that has reported both, and then
// reports less, is deleted with all its NIDs.
//
// The checker ignores peers that an administrator or a service has declared. It also ignores all
// peers of a node whose discovery only verifies, or did so at some time: such a node keeps its
// entries, whatever peers reported meanwhile. Source: spec/multirail.md 4.1, 4.2, 4.4, 4.9,
// spec/wire-lnet.md 5, 6.
#pragma once

#include <map>
#include <vector>

#include "lnet/wire/ping_info.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class MultiRailAdvertised final : public Checker {
 public:
  MultiRailAdvertised() : Checker("multi-rail as advertised", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// An info that has landed in memory of the control shard.
  struct Landed {
    Handle md;  ///< the Portal0Md, which is removed in the step that reads the info
    /// Requested by a ping of discovery; otherwise pushed, or read by a check of a gateway.
    bool asked_for = false;
    wire::PingInfo info;
  };
  struct Advertised {
    std::map<Nid, bool> both;  ///< whether the last info of a NID's peer reported both features
    bool verified = false;     ///< discovery only verified at some time
  };
  static bool is_exempt(const Advertised& advertised, const core::Peer& peer);
  void take_down(World& world, const ShardStep& step, const Landed& landed, const Nid& peer);
  void look_at_pushes(World& world, const ShardStep& step);

  PerNode<Advertised> advertised_;
  std::vector<Landed> landed_;   ///< the infos that had landed before the step
  std::uint64_t overtaken_ = 0;  ///< the number of refused old infos, before the step
};

}  // namespace ulnet::sim
