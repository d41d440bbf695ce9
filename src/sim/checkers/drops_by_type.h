// NIs and peer NIs count dropped messages by type. The NI where a dropped message arrived counts it
// once, as its own type; both the NI and the peer NI count a message that waited too long for a
// credit. traffic_counted.h checks bytes, drops_counted.h the sums of a node. Source:
// spec/core-semantics.md 9, 11.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sim/checkers/counted.h"
#include "sim/checkers/delayed_arrivals.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class DropsByType final : public Checker {
 public:
  DropsByType() : Checker("drops by type", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// A message that arrived.
  struct Came {
    core::NiId ni;
    wire::MsgType type{};
  };
  struct Entry {
    Handle self;  ///< a peer NI that was deleted and made again counts from 0
    ByType counted{};
  };
  struct Record {
    std::map<Rx, wire::MsgType> held;  ///< the driver waits for a verdict
    PerMessage<Came> waiting;          ///< messages about which this shard did not decide at once
    std::map<core::NiId, ByType> nis;  ///< counts at the last look
    std::map<Nid, Entry> peers;
    DelayedArrivals delayed;
    std::uint64_t dropped = 0, expired = 0;
    std::uint64_t lost = 0;  ///< part of `expired`: those that fault rules lost when they were sent
    std::uint64_t lost_in_step = 0;  ///< the same, in the newest step
    /// The peer NIs that existed after the newest step that was compared, or that changed their
    /// number.
    std::vector<Handle> known;
    std::uint64_t generation = 0;  ///< the last seen generation of the directory
  };
  /// The most messages that may have been dropped in a step, and the fewest that must have been; by
  /// NI and type.
  struct Seen {
    std::map<core::NiId, ByType> most, least;
  };
  void note(const ShardStep& step, const core::HeaderArrived& in, Record& record) const;
  static std::optional<Came> named_by(const core::Input& input, Record& record);
  Seen look(const ShardStep& step, Record& record) const;
  void compare(World& world, const ShardStep& step, Record& record, const Seen& seen,
               std::uint64_t dropped, std::uint64_t expired) const;
  static bool has_charged(const core::ShardState& state, const Record& record);
  static void note_peers(const ShardStep& step, Record& record, bool compared);
  std::optional<ByType> expired_by_peers(World& world, const ShardStep& step, Record& record,
                                         std::uint64_t expired) const;

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
