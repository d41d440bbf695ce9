// Credits are neither lost nor made up, and nobody waits for one while there are any. Source:
// spec/core-semantics.md 10.1, 10.2, 18.13.
//
// Its own books count what was handed to drivers and has not ended; the gates must agree: what a
// gate has given out is what is with the driver, and, for a peer NI, what has its credit and waits
// for the NI's. check_all() counts every message of every node.
#pragma once

#include <map>

#include "sim/checkers/books.h"

namespace ulnet::core {
class Gate;
}

namespace ulnet::sim {

class CreditsConserved final : public Checker {
 public:
  CreditsConserved() : Checker("credits conserved", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// Credits in use that the books know of, and as the gate said when it was last looked at.
  struct InUse {
    std::int32_t with_driver = 0;
    std::int32_t before = 0;
  };
  struct Path {
    core::NiId ni;
    Nid peer;
  };
  struct Book {
    Notes<Path> sent;
    std::map<core::NiId, InUse> nis;
    std::map<Nid, InUse> peers;
  };
  void check(World& world, const SimNode& node, const core::ShardState& state, Book& book);
  void look(World& world, const ShardStep& step, Book& book, const Path& path);
  void look(World& world, const SimNode& node, const core::Gate& gate, InUse& in_use,
            std::int32_t more, const Nid& whose);

  Books<Book> books_;
};

}  // namespace ulnet::sim
