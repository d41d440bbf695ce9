#include "sim/foreign/spoofing_peer.h"

#include <algorithm>

#include "sim/foreign/hostile_peer.h"
#include "sim/world/world.h"

namespace ulnet::sim {

SpoofingPeer::SpoofingPeer(World& world, const Nid& whom, const Nid& claimed, const Nid& address)
    : conn_(world, address), whom_(whom), claimed_(claimed) {}

std::unique_ptr<SpoofingPeer> SpoofingPeer::between(World& world, const SimNode& whom,
                                                    const SimNode& claimed, Rng& rng) {
  for (std::size_t i = 0; i < whom.setup().nis.size(); ++i)
    for (std::size_t j = 0; j < claimed.setup().nis.size(); ++j) {
      if (!HostilePeer::can_trouble(whom, i) || !HostilePeer::can_trouble(claimed, j)) continue;
      const Nid nid = whom.nid(i);
      if (nid.net() != claimed.nid(j).net()) continue;
      const auto host = 0x0a620000U + static_cast<std::uint32_t>(rng.below(0x10000));
      return std::make_unique<SpoofingPeer>(world, nid, claimed.nid(j),
                                            Nid::small(nid.net(), host));
    }
  return nullptr;
}

void SpoofingPeer::take_over() {
  using wire::ConnType;
  for (const ConnType type : {ConnType::kControl, ConnType::kControl, ConnType::kBulkIn,
                              ConnType::kBulkIn, ConnType::kBulkOut, ConnType::kBulkOut}) {
    RawPeer::Talk& talk = conn_.dial(whom_);
    conn_.say(talk, words(wire::AcceptorRequest::to(whom_)));
    wire::Hello hello = conn_.hello(whom_, 3, type);
    hello.src_nid = claimed_;
    conn_.say(talk, words(hello));
  }
}

std::size_t SpoofingPeer::holds() const {
  const auto& talks = conn_.talks();
  return static_cast<std::size_t>(std::ranges::count_if(talks, [](const auto& talk) {
    return talk->stream && talk->hello && !talk->hello->is_refusal();
  }));
}

}  // namespace ulnet::sim
