// What NIs and peer NIs count of each type of message is what arrived for them and what was
// handed to their driver; and the bytes counted as sent, received and dropped are those of the
// headers, received ones only when the payload is there. Each partition is checked by itself, so
// their number does not matter. Source: spec/core-semantics.md 9.
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
    std::uint32_t peer = 0;  ///< its peer's number, seen last; 0: it is no peer's
    ByType sent{}, received{};
    core::PayloadBytes bytes{};  ///< of an NI
  };
  /// Payload bytes.
  struct Bytes {
    std::uint64_t sent = 0, received = 0, dropped = 0;
    std::uint64_t routed = 0;
  };
  /// A message that is with the driver, or with another shard.
  struct Going {
    std::uint32_t length = 0;
    bool routed = false;     ///< from another node, and for another one
    bool began_here = true;  ///< in this shard
    core::NiId ni{};         ///< at which it lands
  };
  struct Record {
    std::map<core::NiId, Seen> nis;
    std::map<Nid, Seen> peers;
    PerMessage<Going> sending, landing, elsewhere;
    Bytes before;
    std::uint64_t routes = 0;      ///< messages that the shard has counted as sent on
    std::uint64_t lost = 0;        ///< by fault rules, on their way out
    std::uint64_t generation = 0;  ///< of the directory, seen last
    /// Drops for reasons that are found before a message is received.
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
