// NIs and peer NIs count, for each type of message, exactly the messages that arrived for them and
// those that were given to their driver. The bytes counted as sent, received and dropped are those
// of the headers, received ones only when the payload is there. The checker checks each partition
// by itself, so the number of partitions does not matter. Source: spec/core-semantics.md 9.
#pragma once

#include <map>

#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::core {
struct Traffic;
}

namespace ulnet::sim {

class TrafficCounted final : public Checker {
 public:
  TrafficCounted() : Checker("traffic counted", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  struct Seen {
    Handle entry{};          ///< of a peer NI
    std::uint32_t peer = 0;  ///< the number of its peer, seen last; 0: it belongs to no peer
    ByType sent{}, received{};
    core::PayloadBytes bytes{};  ///< of an NI
  };
  /// Payload bytes.
  struct Bytes {
    std::uint64_t sent = 0, received = 0, dropped = 0;
    std::uint64_t routed = 0;
  };
  /// A message that a driver or another shard has.
  struct Going {
    std::uint32_t length = 0;
    bool routed = false;     ///< from another node, and for another one
    bool began_here = true;  ///< it began in this shard
    core::NiId ni{};         ///< the NI at which it lands
  };
  struct Record {
    std::map<core::NiId, Seen> nis;
    std::map<Nid, Seen> peers;
    PerMessage<Going> sending, landing, elsewhere;
    Bytes before;
    std::uint64_t routes = 0;      ///< messages that the shard has counted as forwarded
    std::uint64_t lost = 0;        ///< messages that fault rules lost when they were sent
    std::uint64_t generation = 0;  ///< the last seen generation of the directory
    /// Drops for reasons that are found before a message counts as received.
    std::uint64_t turned_away = 0;
    bool held_lost = false;  ///< the connection of a held message broke: no action shows its drop
  };
  static Seen& of_peer(const ShardStep& step, Record& record, const Nid& nid);
  void count(const ShardStep& step, Record& record);
  static void look_for_lost(const ShardStep& step, Record& record);
  void bytes(World& world, const ShardStep& step, Record& record);
  static void note_dropped(const ShardStep& step, const core::DropPayload& drop, Record& record,
                           Bytes& seen);
  static Bytes ended_in(const ShardStep& step, Record& record, std::uint64_t& routes);
  void compare(World& world, const SimNode& node, const std::string& whose,
               const core::Traffic& counted, const Seen& seen) const;

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
