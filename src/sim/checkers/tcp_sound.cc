#include "sim/checkers/tcp_sound.h"

#include "sim/world.h"

namespace ulnet::sim {

void TcpSound::check_all(World& world) {
  using lnd::sock::Count;
  for (std::size_t i = 0; i < world.size(); ++i) {
    const auto counts = world.node(i).sock_counts();
    std::uint64_t strange = world.streams().with_strangers(world.node(i).number());
    for (const Count count :
         {Count::kClosedBadFrame, Count::kClosedBadHeader, Count::kClosedBadChecksum,
          Count::kClosedBadCookie, Count::kRefusedBadRequest, Count::kRefusedBadHello}) {
      const std::uint64_t times = counts[static_cast<std::size_t>(count)];
      if (times > strange) return violation(world, &world.node(i), lnd::sock::to_string(count));
      strange -= times;
    }
  }
}

}  // namespace ulnet::sim
