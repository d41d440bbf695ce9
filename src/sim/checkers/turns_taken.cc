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
#include <map>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class TurnsTaken final : public Checker {
 public:
  TurnsTaken() : Checker("no NI passed over", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override { before_ = rate(step); }

  void after_step(World& world, const ShardStep& step) override {
    if (before_.nis.empty()) return;
    const auto request = own_request(step.input);
    if (!request) return;
    Record& record = records_.of(step.node, step.shard);
    for (const core::Action& action : step.actions) {
      const Nid* hop = hop_of(step, action, *request);
      if (hop == nullptr) continue;
      const core::LocalNi* ni = step.state.nis.find(ni_of(action));
      if (ni == nullptr) return;
      const Ratings after = rate(step);
      std::vector<Rated> of_net;
      for (const Rated& each : before_.nis)
        if (each.nid.net() == hop->net()) of_net.push_back(each);
      const auto by = std::ranges::find(of_net, ni->nid(), &Rated::nid);
      if (by != of_net.end()) look_at(world, step, of_net, after.nis, *by, record.nis);
      const auto net = std::ranges::find_if(
          before_.nets, [&](const Rated& each) { return each.nid.net() == hop->net(); });
      if (net != before_.nets.end())
        look_at(world, step, before_.nets, after.nets, *net, record.nets);
      return;
    }
  }

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
  static Ratings rate(const ShardStep& step) {
    Ratings all;
    const auto request = own_request(step.input);
    if (!request || !step.state.config->udsp->entries().empty()) return all;
    const core::PeerNid* target = step.state.peers.find(request->target);
    if (target == nullptr || !target->multi_rail() || target->rails == nullptr) return all;
    for (const core::PeerNet& net : target->rails->nets) {
      const core::LocalNet* local = step.state.nis.find(net.id);
      if (local == nullptr) continue;
      Rated rated{net.rails.front().nid->nid, 0, 0, 0, net.sequence, target->rails->self};
      for (const core::Rail& rail : net.rails)
        rated.first = std::max(rated.first, rail.nid->health);
      for (const core::LocalNi* ni : local->nis) {
        if (!ni->fatal) rated.second = std::max(rated.second, ni->health);
        all.nis.push_back(
            {ni->nid(), ni->fatal ? 0 : 1, ni->health, ni->tx.credits(), ni->sequence, {}});
      }
      all.nets.push_back(rated);
    }
    return all;
  }

  /// Counts that one of them was chosen. The others that were as good as `chosen` have waited for
  /// one more request. `before`, `after`: the NIs, or the nets, before and after the step. `chosen`
  /// is in `before`.
  void look_at(World& world, const ShardStep& step, const std::vector<Rated>& before,
               const std::vector<Rated>& after, const Rated& chosen,
               std::map<Nid, Wait>& waits) const {
    for (const Rated& each : before) {
      if (each.nid == chosen.nid || !each.as_good_as(chosen)) continue;
      const auto now = std::ranges::find(after, each.nid, &Rated::nid);
      if (now == after.end() || now->sequence != each.sequence || !now->as_good_as(chosen))
        continue;
      Wait& wait = waits[each.nid];
      const std::uint64_t generation = step.state.config->generation;
      if (wait.sequence != each.sequence || wait.generation != generation ||
          wait.rails != each.rails)
        wait = {each.sequence, generation, each.rails, 0};
      if (++wait.passed >= before.size())
        violation(world, &step.node,
                  "{} is passed over by {} requests, and is no worse than the ones they took",
                  each.nid, wait.passed);
    }
  }
  Ratings before_;  ///< as they were before the step
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> turns_taken_checker() { return std::make_unique<TurnsTaken>(); }

}  // namespace ulnet::sim
