// No message is lost without a trace: each one that arrives is received or dropped, with a reason
// and a counter; each one that leaves is counted; and in a world of pipes what was sent is what
// arrived and what the wire lost. Over TCP that sum cannot be had from counts: a connection that
// ends takes along what was written on it and not read, nobody knows how much, and its sender was
// told that it left. There tcp_talk.h listens to each connection and accounts for every message.
// Source: spec/core-semantics.md 9, 18.12.
#pragma once

#include <map>

#include "core/drop_reason.h"
#include "sim/checkers/books.h"
#include "sim/checkers/counted.h"

namespace ulnet::sim {

class DropsCounted final : public Checker {
 public:
  DropsCounted() : Checker("drops counted", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;
  void at_end(World& world) override;

 private:
  /// A node's counters when it was last looked at.
  struct Counters {
    std::uint64_t sent = 0, received = 0, dropped = 0;
    std::uint64_t reasons = 0;  ///< sum over those of messages that arrived
  };
  struct Book {
    Counters before;
    Notes<bool> held;
    std::map<core::NiId, ByType> sent;
    std::uint64_t arrived = 0, failed = 0;  ///< headers not refused; those that did not land well
  };
  void check_sums(World& world, const SimNode& node);
  static Counters counters(const core::ShardState& state);

  Books<Book> books_;
  std::uint64_t arrived_ = 0;  ///< over wires, in the whole world
};

}  // namespace ulnet::sim
