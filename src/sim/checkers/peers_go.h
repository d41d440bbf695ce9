// Peers that only messages or discovery have made are forgotten again. No message from an unknown
// sender makes a peer NI beyond its partition's share of max_peers. The reports of peers make the
// directory no larger than twice that. A peer that was silent for peer_idle_timeout, if that is at
// most a minute, is forgotten within two rounds. Source: lnet/core/flow/idle_peers.h.
#pragma once

#include <map>
#include <set>

#include "sim/checkers/peers_before.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PeersGo final : public Checker {
 public:
  PeersGo() : Checker("idle peers forgotten", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;
  void on_node(World& world, SimNode& node, NodeChange change) override;
  void check_all(World& world) override;
  void at_rest(World& world) override { check_all(world); }

 private:
  /// The record of a node.
  struct Record {
    std::map<Nid, Instant> used;  ///< when a message last came from a NID or went to it
    std::set<Nid> asked;          ///< NIDs to which this node has sent messages
    Instant since{};              ///< when the node was last configured or resumed
    PeersBefore before;
  };

  void note(const ShardStep& step, Record& record);
  static void note_peers(const ShardStep& step, Record& record);
  void note_busy(const ShardStep& step, Record& record);
  void check_silent(World& world, const SimNode& node, const core::ShardState& control);

  PerNode<Record> records_;
  // State before a step in which a message arrives:
  bool is_full_ = false;       ///< the shard has its share of peer NIs
  bool known_ = false;         ///< the message comes from a known NID
  std::uint64_t evicted_ = 0;  ///< how many peer NIs were forgotten to make room for others
};

}  // namespace ulnet::sim
