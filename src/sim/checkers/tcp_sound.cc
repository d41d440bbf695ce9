#include "sim/checkers/tcp_sound.h"

#include "sim/world.h"

namespace ulnet::sim {

void TcpSound::check_all(World& world) {
  using lnd::sock::Count;
  for (std::size_t i = 0; i < world.size(); ++i) {
    const auto counts = world.node(i).sock_counts();
    for (const Count count :
         {Count::kClosedBadFrame, Count::kClosedBadHeader, Count::kClosedBadChecksum,
          Count::kClosedBadCookie, Count::kRefusedBadRequest, Count::kRefusedBadHello})
      if (counts[static_cast<std::size_t>(count)] != 0)
        violation(world, &world.node(i), lnd::sock::to_string(count));
  }
}

}  // namespace ulnet::sim
