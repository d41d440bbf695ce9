// For how long no data moved in a test, at each of its nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "selftest/ulst/run/measure.h"
#include "selftest/ulst/run/node_list.h"

namespace ulnet::tools::lst::run {

/// Sees in one sample after the other whether RPCs of a node in a role ended well.
class DataWatch {
 public:
  /// `under_way`: RPCs of a client that may be under way at a time; of one whose test ends by
  /// itself again and again 0.
  DataWatch(const Step& step, Role role, std::uint32_t under_way, const std::optional<Counts>& said)
      : step_(step), role_(role), under_way_(under_way), owed_(-under_way_), at_(said) {}

  /// `said`: nothing when the node did not answer. False: no RPC has ended well since its last
  /// answer, as far as that is known.
  bool has_moved(const std::optional<Counts>& said);

 private:
  Step step_;
  Role role_;
  std::int64_t under_way_;
  std::int64_t owed_;  ///< so many more RPCs were sent than ended; or, negative, fewer than failed
  std::optional<Counts> at_;
};

/// The times in which none of a node's RPCs ended well, or it was silent.
class DataGaps {
 public:
  /// `said`: what the nodes told before the test, in the order of the list. As in DataWatch.
  DataGaps(std::vector<Node>& nodes, const Step& step, std::uint32_t under_way,
           const std::vector<std::optional<Counts>>& said);

  /// What the nodes tell now; so much time has passed since they were asked last.
  void note(const std::vector<std::optional<Counts>>& said, Duration passed);
  /// Of a node of the list in one of its roles.
  Duration at(std::size_t place, Role role) const;
  /// In which no client had data.
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
