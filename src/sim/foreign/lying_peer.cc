#include "sim/foreign/lying_peer.h"

#include <algorithm>

#include "lnet/base/limits.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kFirstAddress = 0x0a610000;
constexpr std::uint32_t kMaxNids = 2000;
/// The offset of the number of NIDs in a ping info (spec/wire-lnet.md 4.2).
constexpr std::size_t kCountAt = 12;

}  // namespace

LyingPeer::LyingPeer(World& world, const SimNode& whom, std::size_t ni, Rng rng)
    : whom_(whom), target_(whom.nid(ni)), rng_(rng) {
  do {
    node_ = std::make_unique<ForeignNode>(world, std::vector{nobody()}, ForeignNode::uprev());
  } while (!node_->listens());
}

/// A NID of the same net that no node has.
Nid LyingPeer::nobody() {
  return Nid::small(target_.net(), kFirstAddress + static_cast<std::uint32_t>(below(0x10000)));
}

void LyingPeer::send_lie(Lie lie) {
  const Bytes said = bytes_of(lie);
  node_->answer_ping = [said](std::uint32_t sink) {
    return Bytes(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(
                                                  std::min<std::size_t>(said.size(), sink)));
  };
  if (lie == Lie::kStale) {
    wire::PingInfo newer = honest();
    newer.sequence = 1000;
    node_->push(node_->nid(), target_, newer);
  }
  node_->push(node_->nid(), target_, said, lie == Lie::kForged ? nobody() : Nid::any());
}

LyingPeer::Bytes LyingPeer::bytes_of(Lie lie) {
  wire::PingInfo info = honest();
  info.sequence = static_cast<std::uint32_t>(1 + below(100));
  switch (lie) {
    case Lie::kGarbage: {
      Bytes bytes(1 + below(600));
      for (std::byte& each : bytes) each = static_cast<std::byte>(below(256));
      return bytes;
    }
    case Lie::kHuge:
      for (std::uint64_t left = 20 + below(kMaxNids); left != 0; --left)
        info.legacy.push_back({nobody(), wire::NiStatus::kUp});
      break;
    case Lie::kSomebodyElse:
      info.legacy.clear();
      for (const NiSetup& ni : whom_.setup().nis)
        if (ni.nid.is_small()) info.legacy.push_back({ni.nid, wire::NiStatus::kUp});
      break;
    case Lie::kNobody:
      info.legacy.clear();
      break;
    default:
      break;
  }
  Bytes bytes(wire::ping_info_bytes(info));
  wire::encode_ping_info(info, bytes);
  if (lie == Lie::kEndless) std::fill_n(bytes.begin() + kCountAt, 4, std::byte{0xff});
  if (lie == Lie::kCut) bytes.resize(below(bytes.size()));
  return bytes;
}

}  // namespace ulnet::sim
