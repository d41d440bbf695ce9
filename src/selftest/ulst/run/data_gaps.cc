#include "selftest/ulst/run/data_gaps.h"

#include <algorithm>
#include <utility>

namespace ulnet::tools::lst::run {

bool DataWatch::has_moved(const std::optional<Counts>& said) {
  if (!said) return false;
  const auto from = std::exchange(at_, said);
  if (!from) return false;
  if (role_ == Role::kServer || said->rpcs) return rpcs_between(step_, role_, *from, *said) > 0;
  // Some of the sent RPCs are under way, and can still fail. Some of the failed RPCs were never
  // sent; these must not hide other RPCs that ended well.
  const std::int64_t sent = said->sent - from->sent, failed = said->bad - from->bad;
  const std::int64_t ended = sent - failed + owed_;
  owed_ = std::clamp<std::int64_t>(ended, -under_way_, 0);
  return ended > 0;
}

DataGaps::DataGaps(std::vector<Node>& nodes, const Step& step, std::uint32_t under_way,
                   const std::vector<std::optional<Counts>>& said) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const Role role : {Role::kClient, Role::kServer})
      if (role == Role::kClient ? nodes[i].client : nodes[i].server)
        rows_.push_back({i, role, DataWatch(step, role, under_way, said[i])});
}

void DataGaps::note(const std::vector<std::optional<Counts>>& said, Duration passed) {
  bool any = false;
  for (Row& row : rows_) {
    const bool moved = row.watch.has_moved(said[row.place]);
    if (!moved) row.without += passed;
    any = any || (moved && row.role == Role::kClient);
  }
  if (!any) everywhere_ += passed;
}

Duration DataGaps::at(std::size_t place, Role role) const {
  const auto row = std::ranges::find_if(
      rows_, [&](const Row& one) { return one.place == place && one.role == role; });
  return row == rows_.end() ? Duration{} : row->without;
}

}  // namespace ulnet::tools::lst::run
