#include "tests/lnet/recorded/discovery/player.h"

#include <algorithm>

namespace ulnet::capture {

using namespace core;
using namespace core::test;

Duration seconds_of(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

std::vector<std::byte> payload_of(const Send& send) {
  std::vector<std::byte> all;
  for (std::uint32_t i = 0; i < send.payload.count; ++i) {
    const auto* base = static_cast<const std::byte*>(send.payload.fragments[i].iov_base);
    all.insert(all.end(), base, base + send.payload.fragments[i].iov_len);
  }
  if (send.payload.length == 0) return {};
  return {all.begin() + send.payload.offset,
          all.begin() + send.payload.offset + send.payload.length};
}

Player::Player(std::vector<Nid> own, std::uint32_t sequence)
    : Discoverers(sequence == 1 ? own : std::vector<Nid>{tcp(200)}, {tcp(250)}, 1),
      own_(std::move(own)) {
  a.hold_sends = true;
  // The number grows with each change of the NIDs.
  for (std::uint32_t number = 2; number < sequence; ++number)
    set_nids({tcp(static_cast<std::uint8_t>(200 + number))});
  if (sequence > 1) set_nids(own_);
}

void Player::set_nids(const std::vector<Nid>& nids) {
  NiConfig like = a.config->nis.at(1);
  std::vector<NiConfig> nis = {a.config->nis.at(0)};
  for (const Nid& nid : nids) {
    const auto same = std::find_if(a.config->nis.begin(), a.config->nis.end(),
                                   [&](const NiConfig& ni) { return ni.nid == nid; });
    if (same != a.config->nis.end()) {
      nis.push_back(*same);
      continue;
    }
    like.id = {next_ni_++};
    like.nid = nid;
    nis.push_back(like);
  }
  a.config->nis = std::move(nis);
  configure(a);
}

bool Player::has(const Nid& nid) const {
  return std::find(own_.begin(), own_.end(), nid) != own_.end();
}

NiId Player::ni_of(const Nid& nid) const {
  for (const NiConfig& config : a.config->nis)
    if (config.nid == nid) return config.id;
  return {};
}

}  // namespace ulnet::capture
