// What NIs and peer NIs count of each type of message is what came to them and what was handed to
// their driver, and the bytes that are counted as sent, received and dropped are those of the
// headers: on every partition by itself, so with any number of them. Source:
// spec/core-semantics.md 9.
#pragma once

#include <map>

#include "sim/checkers/books.h"
#include "sim/checkers/counted.h"

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
    Handle entry{};  ///< of a peer NI
    ByType sent{}, received{};
  };
  /// Of payload.
  struct Bytes {
    std::uint64_t sent = 0, received = 0, dropped = 0;
  };
  struct Book {
    std::map<core::NiId, Seen> nis;
    std::map<Nid, Seen> peers;
    Notes<std::uint32_t> sending, landing;  ///< how much payload
    Bytes before;
    std::uint64_t turned_away = 0;  ///< drops for reasons that come before a message is received
    bool held_lost = false;  ///< a held message's connection died: its drop has no action any more
  };
  static Seen& of_peer(const ShardStep& step, Book& book, const Nid& nid);
  void count(const ShardStep& step, Book& book);
  void bytes(World& world, const ShardStep& step, Book& book);
  void compare(World& world, const SimNode& node, const std::string& whose,
               const core::Traffic& counted, const Seen& seen) const;

  Books<Book> books_;
};

}  // namespace ulnet::sim
