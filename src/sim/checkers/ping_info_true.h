// What a node tells about itself is true. After every step its ping info lists its NIs in their
// order, each with its status, and its features. The sequence number starts at 1 and grows by one
// with each change of the info, and only then. The ping target holds that info, and an incoming
// ping finds it. The answer to a ping, and a push, carry an info that was in force at some time
// since the ping arrived or the push began. The NIDs that a node keeps of a peer were told by that
// peer in one info; that info had no other NIDs, but for those that another peer has taken since,
// or by which another one goes that has told so itself: of two that claim a NID one is without it.
// A partition that is told of a peer takes its card, and while no letter is under way all keep the
// same. A push is acknowledged only with a sequence number that the node has used.
// Source: spec/core-semantics.md 14, spec/wire-lnet.md 4.2, 4.3, 5, spec/multirail.md 1, 4.4.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/wire/ping_info.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PingInfoTrue final : public Checker {
 public:
  PingInfoTrue() : Checker("ping info true", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// An info that is or was in force.
  struct Told {
    wire::PingInfo info;
    std::vector<std::byte> bytes;
    Instant until = Instant::max();
  };
  /// What the control shard has heard that makes an NI count as down.
  struct NiNews {
    bool fatal = false;
    bool ill = false;  ///< its health fell to 0 and has not recovered
  };
  /// A peer in the node's directory.
  struct Kept {
    std::uint32_t number = 0;  ///< core::Peer::number
    core::PeerCardRef card;
    std::set<Nid> elsewhere;  ///< NIDs that it has told, and that another peer has
  };
  struct Record {
    std::map<core::NiId, NiNews> nis;
    std::vector<Told> told;        ///< oldest first
    std::uint64_t generation = 0;  ///< of the directory from which `peers` is
    std::vector<Kept> peers;       ///< by their number
    std::set<Nid> configured;      ///< note_configured()
  };
  void hear(World& world, const ShardStep& step, Record& record);
  void take_down_status(World& world, const ShardStep& step, Record& record,
                        const core::LocalNi& ni);
  void take_down_before_news(World& world, const ShardStep& step, Record& record);
  static void set_status(wire::PingInfo& info, const core::LocalNi& ni,
                         const core::ShardState& state, const Record& record);
  void look_at_info(World& world, const ShardStep& step, Record& record);
  void take_down(World& world, const ShardStep& step, Record& record, wire::PingInfo info);
  void look_at_target(World& world, const SimNode& node, const core::ShardState& state,
                      const Told& told) const;
  void look_at_loan(World& world, const ShardStep& step, Record& record,
                    const core::letter::Matched& lent) const;
  void look_at_send(World& world, const ShardStep& step, Record& record,
                    const wire::LnetHeader& header, const core::Region& payload,
                    const core::Msg& msg) const;
  void look_at_news(World& world, const ShardStep& step) const;
  void follow_moves(const core::Directory& directory, Record& record);
  void note_claimed(const core::Directory& directory, const core::Peer& peer, Kept& kept);
  bool has_told(const SimNode& node, const SimNode& other, const core::Peer& peer);
  void look_at_peers(World& world, const SimNode& node, const core::ShardState& state);
  void look_at_shards(World& world, const SimNode& node, const core::ShardState& control);

  PerNode<Record> records_;
  /// Every set of NIDs that a node told, sorted; by node.
  std::map<std::uint32_t, std::set<std::vector<Nid>>> ever_;
};

}  // namespace ulnet::sim
