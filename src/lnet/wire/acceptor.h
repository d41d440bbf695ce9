// The connection request, which is the first on every TCP connection, and the only answer to it.
// Source: spec/wire-socklnd.md 3.
#pragma once

#include <cstdint>

#include "lnet/base/bytes.h"
#include "lnet/wire/decode_error.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

inline constexpr std::uint32_t kAcceptorMagic = 0xacce7100;
inline constexpr std::size_t kAcceptorBytesV1 = 16;
inline constexpr std::size_t kAcceptorBytesV2 = 28;
inline constexpr std::size_t kAcceptorBytesMax = kAcceptorBytesV2;

struct AcceptorRequest {
  std::uint32_t version = 1;  ///< 1: legacy NID, 2: large NID
  Nid target;                 ///< the requested NID; may be no NID of this node

  /// A request for this target: version 1 for a NID with a 4-byte address, else version 2
  /// (spec/wire-socklnd.md 3.2).
  static AcceptorRequest to(const Nid& target) { return {target.is_small() ? 1U : 2U, target}; }
  bool operator==(const AcceptorRequest&) const = default;
};

/// Why a request is refused, and whether the sender gets an answer before the connection is
/// closed (spec/wire-socklnd.md 3.3).
struct AcceptorRefusal {
  DecodeError why = DecodeError::kBadMagic;
  bool answer = false;  ///< send acceptor_answer() before closing
  bool operator==(const AcceptorRefusal&) const = default;
};
template <class T>
using AcceptorDecoded = tl::expected<T, AcceptorRefusal>;

/// The number of bytes, counted from the begin of the stream, that the caller needs next: 4, then
/// 8, then the length of the request. If `prefix` has that many, the request is complete; it
/// consists of exactly that many bytes, and the hello follows.
AcceptorDecoded<std::size_t> acceptor_bytes(ByteView prefix);
/// Reads a complete request in either byte order.
AcceptorDecoded<AcceptorRequest> decode_acceptor(ByteView bytes);

constexpr std::size_t acceptor_bytes(const AcceptorRequest& request) {
  return request.version == 1 ? kAcceptorBytesV1 : kAcceptorBytesV2;
}
/// Writes exactly acceptor_bytes(request). A large NID in version 1 is a programmer error.
/// Order::kBig is for tests: a real sender is little-endian.
void encode_acceptor(const AcceptorRequest& request, ByteSpan out, Order order = Order::kLittle);

/// The answer to a sender of another protocol or version: version 1 and NID 0.
constexpr AcceptorRequest acceptor_answer() { return {1, Nid::small({NetType{0}, 0}, 0)}; }

}  // namespace ulnet::wire
