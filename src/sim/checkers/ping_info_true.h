// A node reports the truth about itself. After every step its ping info lists its NIs in their
// order, each with its status, and its features. The sequence number starts at 1 and grows by one
// with each change of the info's NIDs, and only then. The ping target holds that info, and an
// incoming ping finds it. The answer to a ping, and a push, carry an info that was in force at some
// time since the ping arrived or the push began.
//
// The NIDs that a node keeps of a peer come from one info of that peer. The info had no other NIDs,
// with two exceptions: another peer has taken a NID since, or a NID is the primary one of another
// peer, which has reported it itself. When two peers claim a NID, only one has it.
//
// A partition that learns of a peer takes its peer entry, and while no inter-shard message is under
// way all partitions have the same entry. A push is acknowledged only with a sequence number that
// the node has used. Source: spec/core-semantics.md 14, spec/wire-lnet.md 4.2, 4.3, 5,
// spec/multirail.md 1, 4.4.
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
  PingInfoTrue() : Checker("ping info correct", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// An info that is or was in force.
  struct ReportedInfo {
    wire::PingInfo info;
    std::vector<std::byte> bytes;
    Instant until = Instant::max();
  };
  /// Reports to the control shard that make an NI count as down.
  struct NiNews {
    bool fatal = false;
    bool ill = false;  ///< its health fell to 0 and has not recovered
  };
  /// A peer in the node's directory.
  struct Kept {
    std::uint32_t number = 0;  ///< core::Peer::number
    core::PeerEntryRef peer_entry;
    std::set<Nid> elsewhere;  ///< NIDs that the peer has reported, and that another peer has
  };
  struct Record {
    std::map<core::NiId, NiNews> nis;
    std::vector<ReportedInfo> reported;  ///< oldest first
    std::uint64_t generation = 0;        ///< the directory's generation when `peers` was read
    std::vector<Kept> peers;             ///< by core::Peer::number
    std::set<Nid> configured;            ///< note_configured()
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
                      const ReportedInfo& reported) const;
  void look_at_loan(World& world, const ShardStep& step, Record& record,
                    const core::shard_msg::Matched& lent) const;
  void look_at_send(World& world, const ShardStep& step, Record& record,
                    const wire::LnetHeader& header, const core::Region& payload,
                    const core::Msg& msg) const;
  void look_at_news(World& world, const ShardStep& step) const;
  void follow_moves(const core::Directory& directory, Record& record);
  void note_claimed(const core::Directory& directory, const core::Peer& peer, Kept& kept);
  bool has_reported(const SimNode& node, const SimNode& other, const core::Peer& peer);
  void look_at_peers(World& world, const SimNode& node, const core::ShardState& state);
  void look_at_shards(World& world, const SimNode& node, const core::ShardState& control);

  PerNode<Record> records_;
  /// Every set of NIDs that a node reported, sorted; by node.
  std::map<std::uint32_t, std::set<std::vector<Nid>>> ever_;
};

}  // namespace ulnet::sim
