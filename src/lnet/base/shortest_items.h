// Lists of numbers written as short as an ExprList reads them. Source: spec/cli-lnetctl.md 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ulnet {

/// Whether a list may have items with a step, "4-14/2".
enum class Steps : bool { kNone, kAllowed };

/// The shortest items, without brackets, that name these numbers upwards: "1-4,7,9-13/2"; of
/// equally short ones those with fewer ranges. The numbers are in order, each once; each has this
/// many digits at least. Takes time in proportion to their count.
std::string shortest_items(std::span<const std::uint32_t> numbers, Steps steps = Steps::kAllowed,
                           std::size_t digits = 1);

}  // namespace ulnet
