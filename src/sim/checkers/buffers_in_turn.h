// Where a message looks for a buffer in a node of several partitions: first where the portal rotor
// and the hash of NIDs say, then in turn where there are buffers. Source: spec/core-semantics.md
// 3, 7.3, 13.2, docs/PARTITIONS.md.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/placement.h"
#include "sim/checkers/books.h"

namespace ulnet::sim {

class BuffersInTurn final : public Checker {
 public:
  BuffersInTurn() : Checker("buffers in turn", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// A message that another shard has been asked to find a buffer for.
  struct Asked {
    Portal portal;
    Nid source;
    core::ShardSet nothing;  ///< who found nothing
    std::uint64_t seen = 0;  ///< Msg::seen: another value means that everybody is asked anew
  };
  /// What the home of a portal knows. The bits of shards, by shard: who was asked since it could
  /// have been and was not.
  struct Home {
    core::ShardSet have;  ///< other shards that are known to have buffers
    std::vector<core::ShardSet> passed;
  };
  struct Book {
    std::map<std::uint32_t, std::uint32_t> last_first;  ///< of the round robin, by portal
    std::map<std::uint32_t, Home> homes;
    Notes<Asked> asked;
  };
  void look_first(World& world, const ShardStep& step, Book& book);
  void learn(const ShardStep& step, Book& book);
  void look_on(World& world, const ShardStep& step, Book& book);
  void offered(World& world, const ShardStep& step, Home& home, const Asked& asked,
               std::uint32_t to, const core::ShardSet& could);

  Books<Book> books_;
  std::uint64_t dropped_unseen_ = 0;  ///< before the step that is being taken
};

}  // namespace ulnet::sim
