// For how long no data moved in a test, at each of its nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "selftest/ulst/run/measure.h"
#include "selftest/ulst/run/node_list.h"

namespace ulnet::tools::lst::run {

/// Finds out in each sample whether RPCs of a node in one role ended well since the previous
/// sample.
class DataWatch {
 public:
  /// `under_way` is the most RPCs that a client may have under way at a time; 0 for a client whose
  /// test ends by itself and is started again. `said` has the counters before the test.
  DataWatch(const Step& step, Role role, std::uint32_t under_way, const std::optional<Counts>& said)
      : step_(step), role_(role), under_way_(under_way), owed_(-under_way_), at_(said) {}

  /// Takes the counters of the next sample; `said` is nothing when the node did not answer. Returns
  /// false if no RPC has ended well since the node's last answer, as far as the counters show.
  bool has_moved(const std::optional<Counts>& said);

 private:
  Step step_;
  Role role_;
  std::int64_t under_way_;
  /// balance that the next sample takes over, at most 0: RPCs still under way, or failures of
  /// unsent RPCs
  std::int64_t owed_;
  std::optional<Counts> at_;
};

/// The times in which none of a node's RPCs ended well, or the node was silent.
class DataGaps {
 public:
  /// `said` has the counters that the nodes reported before the test, in the order of the list. The
  /// other arguments are as for DataWatch.
  DataGaps(std::vector<Node>& nodes, const Step& step, std::uint32_t under_way,
           const std::vector<std::optional<Counts>>& said);

  /// Takes the counters that the nodes report now; `passed` is the time since the previous
  /// counters.
  void note(const std::vector<std::optional<Counts>>& said, Duration passed);
  /// Returns the time without data of a node of the list in one of its roles.
  Duration at(std::size_t place, Role role) const;
  /// Returns the time in which no client had data.
  Duration everywhere() const { return everywhere_; }

 private:
  struct Row {
    std::size_t place = 0;
    Role role = Role::kClient;
    DataWatch watch;
    Duration without{};
  };
  std::vector<Row> rows_;
  Duration everywhere_{};
};

}  // namespace ulnet::tools::lst::run
