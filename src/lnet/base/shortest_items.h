// Writes numbers as the shortest list that ExprList reads. Source: spec/cli-lnetctl.md 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ulnet {

/// Whether a list may have items with a step, "4-14/2".
enum class Steps : bool { kNone, kAllowed };

/// The shortest items, without brackets, for these numbers in ascending order: "1-4,7,9-13/2". If
/// several are equally short, those with fewer ranges. `numbers` is sorted and has no duplicates;
/// `digits` is the least number of digits written. The time is proportional to the count of
/// numbers.
std::string shortest_items(std::span<const std::uint32_t> numbers, Steps steps = Steps::kAllowed,
                           std::size_t digits = 1);

}  // namespace ulnet
