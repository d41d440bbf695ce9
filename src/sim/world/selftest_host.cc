#include "sim/world/selftest_host.h"

#include "lnet/core/flow/step.h"

namespace ulnet::sim {

std::size_t SelftestHost::mds() const {
  std::size_t mds = 0;
  for (std::uint32_t shard = 0; shard < node_.shards(); ++shard)
    if (const core::ShardState* state = node_.shard_state(shard))
      state->memory.for_each([&](const core::Md& md) { mds += md.sink == &ear_ ? 1 : 0; });
  return mds;
}

}  // namespace ulnet::sim
