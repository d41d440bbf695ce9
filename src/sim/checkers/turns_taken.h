// No NI, and no net that a peer is on, is passed over for ever: of n NIs of a net, one that is as
// good as those that users' requests to peers with multi-rail leave by has its turn within n of
// them, as long as the configuration stays. So an NI whose fault has ended is used again as soon as
// it is as well as the others. The same holds for the nets of one peer. Nodes with policies are not
// looked at. Source: spec/multirail.md 3.2 A, B, D.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class TurnsTaken final : public Checker {
 public:
  TurnsTaken() : Checker("turns are taken", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// What an NI, or a net, is chosen by, before the step; higher is better.
  struct Rated {
    Nid nid;  ///< of the NI; of a net that of the peer's first NID there
    std::int32_t first = 0, second = 0;
    std::int64_t third = 0;
    std::uint64_t sequence = 0;
    Handle rails{};  ///< of the peer: when they are made anew, its turns begin anew
    bool as_good_as(const Rated& other) const {
      return first >= other.first && second >= other.second && third >= other.third;
    }
  };
  struct Wait {
    std::uint64_t sequence = 0;    ///< of its last turn
    std::uint64_t generation = 0;  ///< of the configuration
    Handle rails{};
    std::size_t passed = 0;  ///< requests that have taken others since, no better ones
  };
  struct Record {
    std::map<Nid, Wait> nis;
    std::map<Nid, Wait> nets;  ///< by the NID of the peer
  };
  void look_at(World& world, const ShardStep& step, const std::vector<Rated>& all,
               const Rated& chosen, std::map<Nid, Wait>& waits) const;

  // Of the request that the step begins.
  std::vector<Rated> nis_, nets_;
  PerNode<Record> records_;
};

}  // namespace ulnet::sim
