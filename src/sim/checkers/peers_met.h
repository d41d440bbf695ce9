// Of whom a node keeps an entry: of those with whom a message was exchanged since an administrator
// deleted them, and of nobody else once nothing is under way. Source: spec/core-semantics.md 8.8,
// spec/multirail.md 1, 2.2.
#pragma once

#include <set>

#include "sim/checkers/books.h"

namespace ulnet::sim {

class PeersMet final : public Checker {
 public:
  PeersMet() : Checker("peers were met", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// Of a shard.
  struct Book {
    Notes<Nid> sent;        ///< whom it is for, by what the driver has
    std::set<Nid> reached;  ///< a message was sent to them
    std::set<Nid> met;      ///< had an entry and were met when last looked at
  };
  /// Of a node: messages said that they come from here.
  using Heard = std::set<Nid>;
  void look(World& world, const SimNode& node, const core::ShardState& state, Book& book);

  Books<Book> books_;
  Books<Heard> heard_;
};

}  // namespace ulnet::sim
