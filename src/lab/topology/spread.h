// Puts things side by side, each as near to its preferred place as the others allow.
#pragma once

#include <vector>

namespace ulnet::tools::lab {

struct PreferredPlace {
  double centre = 0;
  double width = 0;
};

/// Returns the left ends of things. The things keep their order, do not overlap, have `gap` between
/// them, and are between `low` and `high` as far as there is room. Before these bounds are applied,
/// the sum of the squares of their distances from the preferred places is as small as possible.
std::vector<double> spread(const std::vector<PreferredPlace>& preferred, double gap, double low,
                           double high);

}  // namespace ulnet::tools::lab
