#include "lnet/wire/ksock_ack.h"

#include <algorithm>

namespace ulnet::wire {

Decoded<AckSet> acks_of(const Frame& frame, std::uint32_t version) {
  const std::uint64_t a = frame.cookie0;
  const std::uint64_t b = frame.cookie1;
  if (b == kNoCookie) return AckSet{};
  if (frame.type == FrameType::kLnet) {
    if (b == kKeepaliveCookie) return AckSet{};
    return AckSet{AckSet::Kind::kOne, b, b};
  }
  if (b == kKeepaliveCookie && version >= 3) {
    if (a > kKeepaliveCookie) return refuse(DecodeError::kBadCookie);
    return AckSet{AckSet::Kind::kKeepalive, 0, 0};
  }
  if (a == kNoCookie || a == b) return AckSet{AckSet::Kind::kOne, b, b};
  if (a > b) return AckSet{AckSet::Kind::kTwo, b, a};
  return AckSet{AckSet::Kind::kRange, a, b};
}

bool NoopAcks::merge(std::uint64_t cookie) {
  if (cookie <= kKeepaliveCookie) return false;  // it cannot share a NOOP
  if (is_keepalive()) {
    cookie1_ = cookie;
    return true;
  }
  if (cookie0_ == kNoCookie) {
    if (cookie == cookie1_) return false;
    cookie0_ = std::max(cookie, cookie1_);
    cookie1_ = std::min(cookie, cookie1_);
    return true;
  }
  if (cookie0_ > cookie1_) return merge_pair(cookie);
  if (cookie + 1 == cookie0_) {
    cookie0_ = cookie;
    return true;
  }
  if (cookie == cookie1_ + 1) {
    cookie1_ = cookie;
    return true;
  }
  return false;
}

// Merges a third cookie into a pair, of which cookie0_ is the larger one. The three must be
// consecutive; they become a range.
bool NoopAcks::merge_pair(std::uint64_t cookie) {
  const std::uint64_t low = std::min(cookie1_, cookie);
  const std::uint64_t high = std::max(cookie0_, cookie);
  const bool distinct = cookie != cookie0_ && cookie != cookie1_;
  if (!distinct || high - low != 2) return false;
  cookie0_ = low;
  cookie1_ = high;
  return true;
}

}  // namespace ulnet::wire
