#include "wire/decode_error.h"

namespace ulnet::wire {

const char* to_string(Fault fault) {
  switch (fault) {
    case Fault::kTruncated:
      return "truncated";
    case Fault::kBadMagic:
      return "unknown magic";
    case Fault::kBadVersion:
      return "unknown version";
    case Fault::kBadType:
      return "unknown type";
    case Fault::kPayloadNotAllowed:
      return "payload on an ACK or GET";
    case Fault::kPayloadTooLong:
      return "payload too long";
    case Fault::kBadNid:
      return "impossible NID";
    case Fault::kBadCount:
      return "count out of bounds";
    case Fault::kBadAddress:
      return "zero address";
    case Fault::kBadChecksum:
      return "wrong checksum";
    case Fault::kNoNiStatus:
      return "ping info without status";
    case Fault::kNotLoopbackFirst:
      return "ping info does not begin with 0@lo";
    case Fault::kBadCookie:
      return "unknown zero-copy cookie";
  }
  return "unknown fault";
}

}  // namespace ulnet::wire
