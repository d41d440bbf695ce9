// The right match entry takes a message: by the search order of match lists, ignore bits, the NID
// and PID that an entry names and where it was inserted, as the naive MatchModel has it; and as
// much of the message as fits, at the right place. On one partition it is also seen that a message
// is not dropped as unwanted or too long while there is an entry for it. Which partition is asked
// is for buffers_in_turn.h. Source: spec/core-semantics.md 3, 4.5.
#pragma once

#include <optional>
#include <vector>

#include "sim/checkers/books.h"
#include "sim/checkers/match_model.h"

namespace ulnet::sim {

class RightEntry final : public Checker {
 public:
  RightEntry() : Checker("right match entry", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// How much an MD has been used, as its shard says.
  struct Used {
    std::int32_t threshold = 0;
    std::uint32_t offset = 0, refs = 0;
    bool operator==(const Used&) const = default;
  };
  struct Book {
    MatchModel model;
    std::vector<std::pair<std::uint64_t, Used>> before;  ///< of each MD, when the step began
    /// On this shard's portals, for a step that may search them.
    std::vector<std::pair<core::MsgTicket, wire::LnetHeader>> waiting;
    std::optional<wire::LnetHeader> offered;  ///< the message in custody that this step is about
    std::uint64_t none = 0, too_long = 0;     ///< drops, as counted
  };
  void note_calls(const ShardStep& step, Book& book);
  void one_message(World& world, const ShardStep& step, Book& book, const wire::LnetHeader& header);
  void one_buffer(World& world, const ShardStep& step, Book& book, std::uint64_t md);
  void searched_again(World& world, const ShardStep& step, Book& book);
  void compare(World& world, const SimNode& node, const core::ShardState& state,
               const MatchModel::Md& md) const;

  Books<Book> books_;
};

}  // namespace ulnet::sim
