// Zero-copy cookies: the cookies that a framing header acknowledges, and the merging of waiting
// ACKs into one NOOP. Source: spec/wire-socklnd.md 7.
#pragma once

#include <cstdint>

#include "lnet/wire/ksock_frame.h"

namespace ulnet::wire {

inline constexpr std::uint64_t kNoCookie = 0;
inline constexpr std::uint64_t kKeepaliveCookie = 1;
inline constexpr std::uint64_t kFirstCookie = 2;
/// The cookie that follows this one. After the largest value it starts again at kFirstCookie,
/// because 0 and 1 are no cookies.
constexpr std::uint64_t next_cookie(std::uint64_t cookie) {
  return cookie + 1 == 0 ? kFirstCookie : cookie + 1;
}

/// The cookies that one received frame acknowledges. The receiver checks whether they are
/// outstanding. A range may be very wide: before calling for_each(), compare count() with the
/// number outstanding.
struct AckSet {
  enum class Kind : std::uint8_t { kNone, kKeepalive, kOne, kTwo, kRange };
  Kind kind = Kind::kNone;
  std::uint64_t first = 0;   ///< the lowest cookie
  std::uint64_t second = 0;  ///< the highest cookie; for one cookie the same

  constexpr std::uint64_t count() const {
    if (kind == Kind::kRange) return second - first + 1;
    return kind == Kind::kTwo ? 2 : kind == Kind::kOne ? 1 : 0;
  }
  constexpr bool contains(std::uint64_t cookie) const {
    if (kind == Kind::kRange) return cookie >= first && cookie <= second;
    return count() != 0 && (cookie == first || cookie == second);
  }
  /// Calls fn(cookie) for each cookie, in ascending order.
  template <class Fn>
  constexpr void for_each(Fn&& fn) const {
    if (count() == 0) return;
    fn(first);
    if (kind == Kind::kTwo) fn(second);
    if (kind != Kind::kRange) return;
    for (std::uint64_t cookie = first; cookie != second;) fn(++cookie);
  }
  bool operator==(const AckSet&) const = default;
};

/// The cookies that a frame acknowledges. kBadCookie: a keepalive with another cookie in cookie 0
/// (spec/wire-socklnd.md 7.2). On version 2 there are no keepalives: cookie 1 is acknowledged
/// like any other.
Decoded<AckSet> acks_of(const Frame& frame, std::uint32_t version);
/// The cookie for which the sender requests an ACK once the payload has been read; kNoCookie: none.
constexpr std::uint64_t zero_copy_request(const Frame& frame) {
  return frame.type == FrameType::kLnet ? frame.cookie0 : kNoCookie;
}

/// The ACKs, or the keepalive, of a NOOP that waits to be sent.
class NoopAcks {
 public:
  static constexpr NoopAcks keepalive() { return NoopAcks(kKeepaliveCookie); }
  /// A NOOP that acknowledges `cookie`, which must not be 0.
  static constexpr NoopAcks one(std::uint64_t cookie) { return NoopAcks(cookie); }

  /// Adds `cookie`, if one NOOP can acknowledge it together with the others (spec/wire-socklnd.md
  /// 7.1). False: it cannot, and nothing has changed.
  bool merge(std::uint64_t cookie);
  bool is_keepalive() const { return cookie0_ == 0 && cookie1_ == kKeepaliveCookie; }
  /// The frame of the NOOP, without a checksum.
  Frame frame() const { return {FrameType::kNoop, 0, cookie0_, cookie1_}; }

  bool operator==(const NoopAcks&) const = default;

 private:
  constexpr explicit NoopAcks(std::uint64_t cookie) : cookie1_(cookie) {}
  bool merge_pair(std::uint64_t cookie);

  std::uint64_t cookie0_ = 0;
  std::uint64_t cookie1_ = 0;
};

}  // namespace ulnet::wire
