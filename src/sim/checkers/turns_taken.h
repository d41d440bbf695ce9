// No NI, and no net that a peer is on, is passed over for ever. Among n NIs of a net, an NI that is
// as good as those by which users' requests to peers with multi-rail leave has its turn within n
// requests, as long as the configuration stays. An NI whose fault has ended is therefore used again
// as soon as it is as healthy as the others. The same holds for the nets of one peer. The checker
// ignores nodes with policies.
//
// A step that begins a request may first send other messages, which waited for the discovery of the
// same peer. Each of them takes a turn and a credit, and may fail. An NI therefore counts as passed
// over only if it had no turn in the step, and is as good as the chosen one both before and after
// the step. Source: spec/multirail.md 3.2 A, B, D, 3.5.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class TurnsTaken final : public Checker {
 public:
  TurnsTaken() : Checker("no NI passed over", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// The values by which an NI or a net is chosen; higher is better.
  struct Rated {
    Nid nid;  ///< the NI's NID; for a net, the peer's first NID there
    std::int32_t first = 0, second = 0;
    std::int64_t third = 0;
    std::uint64_t sequence = 0;
    Handle rails{};  ///< of the peer: when the rails are made anew, their turns begin anew
    bool as_good_as(const Rated& other) const {
      return first >= other.first && second >= other.second && third >= other.third;
    }
  };
  /// The NIs and nets among which a user's request chooses.
  struct Ratings {
    std::vector<Rated> nis, nets;  ///< empty: there is no choice, or the step begins no request
  };
  struct Wait {
    std::uint64_t sequence = 0;    ///< at its last turn
    std::uint64_t generation = 0;  ///< of the configuration
    Handle rails{};
    std::size_t passed = 0;  ///< requests that have taken others since, which were not better
  };
  struct Record {
    std::map<Nid, Wait> nis;
    std::map<Nid, Wait> nets;  ///< by the NID of the peer
  };
  /// The ratings as they are at this moment of the step.
  static Ratings rate(const ShardStep& step);
  /// `before`, `after`: the NIs, or the nets, before and after the step. `chosen` is in `before`.
  void look_at(World& world, const ShardStep& step, const std::vector<Rated>& before,
               const std::vector<Rated>& after, const Rated& chosen,
               std::map<Nid, Wait>& waits) const;

  Ratings before_;  ///< as they were before the step
  PerNode<Record> records_;
};

}  // namespace ulnet::sim
