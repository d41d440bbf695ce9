// Who waits for a credit is served in turn: of a peer NI and of an NI, whoever began to wait first
// goes first, and nobody passes by those that wait. A message that waits for its peer's credit has
// none of the NI's, and a peer holds no more credits of an NI than its own allow: one that is slow
// holds up nobody else. Queues of routers have no checker: there is no routing yet. Source:
// spec/core-semantics.md 10.2, 10.4.
#pragma once

#include <map>

#include "sim/checkers/books.h"

namespace ulnet::core {
class Gate;
}

namespace ulnet::sim {

class CreditQueues final : public Checker {
 public:
  CreditQueues() : Checker("credits in turn", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// Where a message queued, in the order in which all messages of its shard did; 0: it did not.
  struct Place {
    std::uint64_t for_peer = 0, for_ni = 0;
  };
  using Which = std::uint64_t Place::*;
  struct Path {
    core::NiId ni;
    Nid peer;
    auto operator<=>(const Path&) const = default;
  };
  struct Held {
    std::int32_t now = 0;   ///< credits of the NI, by messages with the driver
    std::int32_t most = 0;  ///< credits of the peer, the most that there ever were
  };
  struct Book {
    Notes<Place> places;
    std::uint64_t last = 0;                          ///< the last place that was taken
    std::map<core::NiId, std::uint64_t> last_of_ni;  ///< the place that was served last
    std::map<Nid, std::uint64_t> last_of_peer;
    Notes<Path> sent;
    std::map<Path, Held> held;
  };
  void served(World& world, const ShardStep& step, Book& book, const core::Send& send);
  void in_turn(World& world, const SimNode& node, Book& book, const core::Gate& gate,
               const Place& served, Which which, const Nid& whose);
  void in_order(World& world, const SimNode& node, std::uint64_t& last, std::uint64_t place,
                const Nid& whose);
  void holds(World& world, const ShardStep& step, Book& book, const core::Send& send,
             const core::Gate& of_peer);
  void queued(World& world, const SimNode& node, Book& book, const core::Gate& gate, Which which,
              const Nid& whose);
  void check(World& world, const SimNode& node, Book& book, const core::Gate& gate, Which which,
             const Nid& whose);

  Books<Book> books_;
};

}  // namespace ulnet::sim
