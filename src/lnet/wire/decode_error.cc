#include "lnet/wire/decode_error.h"

namespace ulnet::wire {

const char* to_string(DecodeError error) {
  switch (error) {
    case DecodeError::kTruncated:
      return "truncated";
    case DecodeError::kBadMagic:
      return "unknown magic";
    case DecodeError::kBadVersion:
      return "unknown version";
    case DecodeError::kBadType:
      return "unknown type";
    case DecodeError::kPayloadNotAllowed:
      return "payload on an ACK or GET";
    case DecodeError::kPayloadTooLong:
      return "payload too long";
    case DecodeError::kBadNid:
      return "impossible NID";
    case DecodeError::kBadCount:
      return "count out of bounds";
    case DecodeError::kBadAddress:
      return "zero address";
    case DecodeError::kBadChecksum:
      return "wrong checksum";
    case DecodeError::kNoNiStatus:
      return "ping info without status";
    case DecodeError::kNotLoopbackFirst:
      return "ping info does not begin with 0@lo";
    case DecodeError::kBadCookie:
      return "unknown zero-copy cookie";
  }
  return "unknown error";
}

}  // namespace ulnet::wire
