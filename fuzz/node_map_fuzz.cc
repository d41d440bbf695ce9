// Files of coordinates: any text gives a map or mistakes with their places. In a map each node is
// at its own place, and distances are the same in both directions.
#include "fgr/hints/node_map.h"
#include "input.h"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto map = plan::NodeMap::read(fuzz::text_of(data, size));
  if (!map) {
    ULNET_ASSERT(!map.error().empty() && map.error().size() <= 21);
    for (const conf::Problem& mistake : map.error()) ULNET_ASSERT(!mistake.reason.empty());
    return 0;
  }
  const std::size_t names = map->names().size();
  if (names == 0) return 0;
  const auto first = map->distances_from(0), last = map->distances_from(names - 1);
  ULNET_ASSERT(first.size() == names && first[0] == 0 && last[names - 1] == 0);
  ULNET_ASSERT(first[names - 1] == last[0]);
  for (std::size_t i = 0; i < names; ++i) ULNET_ASSERT(map->find(map->names()[i]) == i);
  return 0;
}
