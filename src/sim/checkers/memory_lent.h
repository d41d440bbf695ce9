// A driver touches only memory that is lent to LNet at that moment: of an MD whose last event its
// user has not seen, or the shard's own. Source: spec/core-semantics.md 4.6, DESIGN.md 2.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sim/checkers/books.h"

namespace ulnet::sim {

class MemoryLent final : public Checker {
 public:
  MemoryLent() : Checker("memory lent", kAfterStep | kEvents | kMemory) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_event(World& world, SimNode& node, const core::Post& post) override;
  void on_memory(World& world, SimNode& node, const iovec& memory, bool written) override;
  void check_all(World& world) override;

 private:
  /// Looked up by address and never walked in that order.
  struct Piece {
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t md = 0;
    auto operator<=>(const Piece&) const = default;
  };
  struct Loan {
    std::vector<Piece> pieces;
    bool told = true;  ///< its user has a handler, and hears of the end
  };
  struct Book {
    std::map<std::uint64_t, Loan> loans;  ///< by the MD's cookie
    std::set<Piece> pieces;
    std::uintptr_t longest = 0;
  };
  void lend(Book& book, MdHandle md, const MdSpec& spec);
  void give_back(Book& book, std::uint64_t md);

  Books<Book> books_;
};

}  // namespace ulnet::sim
