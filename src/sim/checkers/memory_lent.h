// A driver touches only memory that is lent to LNet at that moment: memory of an MD whose last
// event its user has not handled, or of the shard itself. Memory that a driver may still touch is
// not given back: no user handles the last event of an MD before every Send and Land in its memory
// has ended. Source: spec/core-semantics.md 4.6, DESIGN.md 2.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class MemoryLent final : public Checker {
 public:
  MemoryLent() : Checker("memory lent", kAfterStep | kEvents | kMemory) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_event(World& world, SimNode& node, const core::Post& post) override;
  void on_memory(World& world, SimNode& node, const iovec& memory, bool written) override;
  void check_all(World& world) override;

 private:
  /// A fragment of an MD. The checker looks it up by address, and never iterates in that order,
  /// which differs from run to run.
  struct Piece {
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t md = 0;
    auto operator<=>(const Piece&) const = default;
  };
  struct Loan {
    std::vector<Piece> pieces;
    bool has_handler = true;  ///< its MD has a handler, which gets an event at the end
  };
  struct Record {
    std::map<std::uint64_t, Loan> loans;  ///< by the cookie of the MD
    std::set<Piece> pieces;
    std::uintptr_t longest = 0;
    std::vector<ByteSpan> copies;            ///< the copies of this step into buffers of a router
    PerMessage<std::uintptr_t> with_driver;  ///< the first byte of the memory of a Send or Land
    std::multiset<std::uintptr_t> driven;    ///< the same bytes, by address
  };
  void lend(Record& record, MdHandle md, const MdSpec& spec);
  void give_back(World& world, const SimNode& node, Record& record, std::uint64_t md);
  static const Piece* lent(const Record& record, std::uintptr_t begin, std::uintptr_t end,
                           const std::function<bool(const Piece&)>& fits);
  void drive(Record& record, core::MsgTicket msg, const core::Region& region);
  void end(Record& record, core::MsgTicket msg);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
