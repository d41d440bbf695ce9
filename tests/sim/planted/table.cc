// Prints the table of docs/TESTING.md, with the number of worlds that it takes to find each planted
// bug: the median over kStarts first seeds. See dev/planted-bugs --medians.
#include <algorithm>
#include <array>
#include <cstdio>

#include "hunt.h"

int main(int argc, char** argv) {
  using namespace ulnet::sim;
  constexpr std::size_t kStarts = 11;
  constexpr std::uint64_t kApart = 10'000, kMax = 2'000;
  for (const ulnet::planted::Row& bug : ulnet::planted::kRows) {
    if (bug.bound == 0) continue;
    if (argc > 1 && std::none_of(argv + 1, argv + argc,
                                 [&](std::string_view name) { return name == bug.name; }))
      continue;
    std::array<std::uint64_t, kStarts> worlds{};
    for (std::size_t i = 0; i < kStarts; ++i) {
      const Hunt found = hunt(bug, i == 0 ? 1 : i * kApart, kMax);
      worlds[i] = found.worlds == 0 ? kMax : found.worlds;
      std::fprintf(stderr, "%s: %lu worlds: %s\n", bug.name, worlds[i], found.violation.c_str());
    }
    std::sort(worlds.begin(), worlds.end());
    std::printf("| %s | `%s` | %s | %s | %lu | %u |\n", bug.name, bug.where, bug.what, bug.checker,
                worlds[kStarts / 2], bug.bound);
    std::fflush(stdout);
  }
}
