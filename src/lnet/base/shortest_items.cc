#include "lnet/base/shortest_items.h"

#include <fmt/format.h>

#include <vector>

namespace ulnet {

std::string shortest_items(std::span<const std::uint32_t> numbers, Steps steps,
                           std::size_t digits) {
  const std::size_t count = numbers.size();
  const auto written = [&](std::uint32_t number) { return fmt::format("{:0{}}", number, digits); };
  // The item for the numbers with the indices `first` to `last`, which have equal steps.
  const auto item = [&](std::size_t first, std::size_t last) {
    if (first == last) return written(numbers[first]);
    const std::uint32_t step = numbers[first + 1] - numbers[first];
    return written(numbers[first]) + '-' + written(numbers[last]) +
           (step == 1 ? "" : fmt::format("/{}", step));
  };
  // From the back, for each number: the end of the run of equal steps that begins there, the bytes
  // of the shortest items for the rest, and the last number of the first of these items.
  std::vector<std::size_t> run(count), bytes(count + 1), last(count);
  for (std::size_t i = count; i-- > 0;) {
    const auto consider = [&](std::size_t end) {
      const std::size_t length = item(i, end).size() + 1 + bytes[end + 1];
      if (end != i && length >= bytes[i]) return;
      bytes[i] = length;
      last[i] = end;
    };
    consider(i);
    if (i + 1 == count) continue;
    const std::uint32_t step = numbers[i + 1] - numbers[i];
    const bool goes_on = i + 2 < count && numbers[i + 2] - numbers[i + 1] == step;
    run[i] = goes_on ? run[i + 1] : i + 1;
    if (step != 1 && steps == Steps::kNone) continue;
    // A range that ends earlier could include the next number as well, unless the next item is a
    // range with another step, which can only begin with the last number of this run.
    consider(run[i]);
    if (run[i] > i + 1) consider(run[i] - 1);
  }
  std::string items;
  for (std::size_t i = 0; i < count; i = last[i] + 1)
    items += (i == 0 ? "" : ",") + item(i, last[i]);
  return items;
}

}  // namespace ulnet
