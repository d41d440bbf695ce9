#include "lab/topology/spread.h"

#include <algorithm>

namespace ulnet::tools::lab {

std::vector<double> spread(const std::vector<PreferredPlace>& preferred, double gap, double low,
                           double high) {
  // Measured without the widths before them, the left ends need only ascend. Neighbours that would
  // not ascend are put into one pool and get its mean.
  struct Pool {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  std::vector<double> before;
  double total = 0;
  for (const PreferredPlace& place : preferred) {
    before.push_back(total);
    pools.push_back({place.centre - place.width / 2 - total, 1});
    total += place.width + gap;
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      pools[pools.size() - 2].sum += pools.back().sum;
      pools[pools.size() - 2].count += pools.back().count;
      pools.pop_back();
    }
  }
  const double most = std::max(low, high - (total - gap));
  std::vector<double> lefts;
  for (const Pool& pool : pools)
    for (std::size_t i = 0; i < pool.count; ++i)
      lefts.push_back(std::clamp(pool.mean(), low, most) + before[lefts.size()]);
  return lefts;
}

}  // namespace ulnet::tools::lab
