// The right match entry accepts a message. The naive MatchModel computes it from the order of the
// match lists, ignore bits, the NID and PID of the entry and its insert position. The entry accepts
// as much of the message as fits, at the right offset. On one partition the checker also sees that
// no message is dropped as unmatched or too long while there is an entry for it. buffers_in_turn.h
// checks which partition is asked. Source: spec/core-semantics.md 3, 4.5.
#pragma once

#include <optional>
#include <vector>

#include "sim/checkers/delayed_arrivals.h"
#include "sim/checkers/match_model.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class RightEntry final : public Checker {
 public:
  RightEntry() : Checker("right match entry", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// How far an MD has been used, according to its shard.
  struct Used {
    std::int32_t threshold = 0;
    std::uint32_t offset = 0, refs = 0;
    bool operator==(const Used&) const = default;
  };
  /// A message that waits on a portal, with the peer entry of its sender.
  struct Waiting {
    core::MsgTicket msg;
    wire::LnetHeader header;
    core::PeerEntryRef peer_entry;
  };
  struct Record {
    MatchModel model;
    std::vector<std::pair<std::uint64_t, Used>> before;  ///< each MD before the step
    /// Messages that wait on this shard's portals, if the step may search buffers for them again.
    std::vector<Waiting> waiting;
    /// The message that a portal's owner shard holds and that this step is about.
    std::optional<Waiting> offered;
    std::uint64_t none = 0, too_long = 0;  ///< drops before the step
    DelayedArrivals delayed;
  };
  void note_calls(const ShardStep& step, Record& record);
  void one_message(World& world, const ShardStep& step, Record& record,
                   const wire::LnetHeader& header, const core::PeerEntry* peer_entry);
  void one_buffer(World& world, const ShardStep& step, Record& record, std::uint64_t md);
  static void follow(const ShardStep& step, MatchModel& model);
  void searched_again(World& world, const ShardStep& step, Record& record);
  void compare(World& world, const SimNode& node, const core::ShardState& state,
               const MatchModel::Md& md) const;

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
