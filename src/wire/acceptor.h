// The connection request that opens every TCP connection, and its one kind of answer. Source:
// spec/wire-socklnd.md 3.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "ulnet/nid.hpp"
#include "wire/fault.h"

namespace ulnet::wire {

inline constexpr std::uint32_t kAcceptorMagic = 0xacce7100;
inline constexpr std::size_t kAcceptorBytesV1 = 16;
inline constexpr std::size_t kAcceptorBytesV2 = 28;
inline constexpr std::size_t kAcceptorBytesMax = kAcceptorBytesV2;

struct AcceptorRequest {
  std::uint32_t version = 1;  ///< 1: legacy NID, 2: large NID
  Nid target;  ///< whom the sender wants; whether that is us is for the caller to say

  /// Version 1 for a NID with a 4-byte address, else version 2 (spec/wire-socklnd.md 3.2).
  static AcceptorRequest to(const Nid& target) { return {target.is_small() ? 1U : 2U, target}; }
  bool operator==(const AcceptorRequest&) const = default;
};

/// Why a request was refused, and whether the sender is told before the connection closes
/// (spec/wire-socklnd.md 3.3).
struct AcceptorRefusal {
  Fault fault = Fault::kBadMagic;
  bool answer = false;  ///< send acceptor_answer() first
  bool operator==(const AcceptorRefusal&) const = default;
};
template <class T>
using AcceptorDecoded = tl::expected<T, AcceptorRefusal>;

/// How many bytes of the stream must be in hand before something more can be said, judging by those
/// that are. The request is complete when that is no more than `prefix` holds; its bytes are then
/// exactly so many, what follows is the hello.
AcceptorDecoded<std::size_t> acceptor_bytes(ByteView prefix);
/// Reads a complete request, of either byte order.
AcceptorDecoded<AcceptorRequest> decode_acceptor(ByteView bytes);

constexpr std::size_t acceptor_bytes(const AcceptorRequest& request) {
  return request.version == 1 ? kAcceptorBytesV1 : kAcceptorBytesV2;
}
/// Writes exactly acceptor_bytes(request). A large NID in version 1 is a programmer error.
/// Order::kBig is for tests: a real sender is little-endian.
void encode_acceptor(const AcceptorRequest& request, ByteSpan out, Order order = Order::kLittle);

/// What a sender of another protocol or version is answered with: version 1 and NID 0.
constexpr AcceptorRequest acceptor_answer() { return {1, Nid::small({NetType{0}, 0}, 0)}; }

}  // namespace ulnet::wire
