// The errors of decoders: why received bytes are refused. Each decoder of src/lnet/wire returns
// either a whole value or a DecodeError.
#pragma once

#include <cstdint>
#include <tl/expected.hpp>

namespace ulnet::wire {

enum class DecodeError : std::uint8_t {
  kTruncated,  ///< fewer bytes than the structure needs
  kBadMagic,
  kBadVersion,
  kBadType,            ///< unknown message, frame or connection type
  kPayloadNotAllowed,  ///< ACK or GET with payload
  kPayloadTooLong,
  kBadNid,      ///< "any" or an impossible NID where a real one is needed
  kBadCount,    ///< a count or length out of bounds
  kBadAddress,  ///< a zero address in the list of a hello
  kBadChecksum,
  kNoNiStatus,        ///< ping info without the mandatory feature
  kNotLoopbackFirst,  ///< ping info whose entry 0 is not 0@lo
  kBadCookie,         ///< a zero-copy ACK for a cookie that is not outstanding
};
/// The reason as a sentence fragment for logs: "unknown message type".
const char* to_string(DecodeError error);

template <class T>
using Decoded = tl::expected<T, DecodeError>;

inline tl::unexpected<DecodeError> refuse(DecodeError error) {
  return tl::unexpected<DecodeError>(error);
}

}  // namespace ulnet::wire
