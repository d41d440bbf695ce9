// Puts things side by side, each as near to the place where it wants to be as the others let it.
#pragma once

#include <vector>

namespace ulnet::tools::lab {

struct Wish {
  double centre = 0;
  double width = 0;
};

/// The left ends of things, which keep their order, do not overlap and have `gap` between them, all
/// between `low` and `high` as far as there is room. The sum of the squares of their distances from
/// their wishes is the least that is possible, before those bounds.
std::vector<double> spread(const std::vector<Wish>& wishes, double gap, double low, double high);

}  // namespace ulnet::tools::lab
