// Prints the table of docs/TESTING.md, with the number of worlds that it takes to find each planted
// bug: the median over kStarts first seeds. See dev/canaries.
#include <algorithm>
#include <array>
#include <cstdio>

#include "planted.h"

int main(int argc, char** argv) {
  using namespace ulnet::sim;
  constexpr std::size_t kStarts = 11;
  constexpr std::uint64_t kApart = 10'000, kMax = 2'000;
  for (const Planted& planted : planted_bugs()) {
    if (argc > 1 && std::none_of(argv + 1, argv + argc,
                                 [&](std::string_view name) { return name == planted.name; }))
      continue;
    std::array<std::uint64_t, kStarts> worlds{};
    for (std::size_t i = 0; i < kStarts; ++i) {
      const Hunt found = hunt(planted, i == 0 ? 1 : i * kApart, kMax);
      worlds[i] = found.worlds == 0 ? kMax : found.worlds;
      std::fprintf(stderr, "%s: %lu worlds: %s\n", planted.name, worlds[i], found.said.c_str());
    }
    std::sort(worlds.begin(), worlds.end());
    std::printf("| %s | `%s` | %s | %s | %lu | %lu |\n", planted.name, planted.where, planted.what,
                planted.checker, worlds[kStarts / 2], planted.bound);
    std::fflush(stdout);
  }
}
