// The hello that each side of a TCP connection sends first: who I am, since when I live, what this
// connection is for. One value for all four versions. Source: spec/wire-socklnd.md 4, 5.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "ulnet/nid.hpp"
#include "wire/fault.h"
#include "wire/lnet_header.h"

namespace ulnet::wire {

inline constexpr std::uint32_t kHelloMagic = 0x45726963;    ///< versions 2 to 4
inline constexpr std::uint32_t kHelloMagicV1 = 0xeebc0ded;  ///< version 1, a legacy LNet header
inline constexpr std::size_t kHelloBytesV1 = 72;
inline constexpr std::size_t kHelloBytesV3 = 56;  ///< version 2 as well
inline constexpr std::size_t kHelloBytesV4 = 80;
inline constexpr std::size_t kHelloBytesMax = kHelloBytesV1 + 4 * limits::kMaxHelloAddresses;
inline constexpr std::uint32_t kHelloVersionMax = 4;

/// What a connection carries, in the view of who says it (spec/wire-socklnd.md 5).
enum class ConnType : std::uint32_t {
  kAny = 0,
  kControl = 1,
  kBulkIn = 2,
  kBulkOut = 3,
  kNone = 0xffffffff
};
const char* to_string(ConnType type);
/// The same connection in the other side's view.
constexpr ConnType mirror(ConnType type) {
  if (type == ConnType::kBulkIn) return ConnType::kBulkOut;
  if (type == ConnType::kBulkOut) return ConnType::kBulkIn;
  return type;
}

struct Hello {
  std::uint32_t version = 3;
  Nid src_nid;
  Nid dst_nid;  ///< as the sender knows it; not in version 1; never checked
  Pid src_pid = Pid::lustre();
  Pid dst_pid{0};                        ///< unused, echoed
  std::uint64_t src_incarnation = 0;     ///< one value per life of the sender's NI
  std::uint64_t dst_incarnation = 0;     ///< unused, echoed
  ConnType type = ConnType::kControl;    ///< the sender's view; kNone refuses
  std::vector<std::uint32_t> addresses;  ///< IPv4, host values, versions 1 to 3 only; to be ignored

  bool is_refusal() const { return type == ConnType::kNone; }
  bool operator==(const Hello&) const = default;
};

/// A hello as it came, with the byte order of its sender: the order of all framing headers that
/// follow on the connection (never of LNet headers; spec/wire-socklnd.md 4.4). Version 1 is always
/// little-endian.
struct ReceivedHello {
  Hello hello;
  Order order = Order::kLittle;
};

/// How many bytes must be in hand before something more can be said, judging by those that are (8,
/// then the fixed part, then the addresses). The hello is complete when that is no more than
/// `prefix` holds. kBadMagic: close silently; kBadVersion: the magic is known, answer
/// version_refusal(); kBadCount: more addresses than allowed.
Decoded<std::size_t> hello_bytes(ByteView prefix);
/// Reads a complete hello. Besides the above: kBadNid (the source is no NID or the wildcard),
/// kBadType, kBadAddress.
Decoded<ReceivedHello> decode_hello(ByteView bytes);

std::size_t hello_bytes(const Hello& hello);
/// Writes exactly hello_bytes(hello). Programmer errors: a large NID below version 4, addresses in
/// version 4 or too many. Order::kBig is for tests: a real sender is little-endian.
void encode_hello(const Hello& hello, ByteSpan out, Order order = Order::kLittle);

/// Who says hello.
struct HelloSelf {
  Nid nid;
  Pid pid = Pid::lustre();
  std::uint64_t incarnation = 0;
};
/// The passive side's answer: the same version, the type mirrored (spec/wire-socklnd.md 4.5).
Hello answer_hello(const Hello& offer, const HelloSelf& self);
/// The passive side's refusal: as the answer, with type NONE. `version` other than the offer's asks
/// for that one.
Hello refuse_hello(const Hello& offer, const HelloSelf& self, std::uint32_t version);
/// What a hello of an unknown version is answered with: our own preferred version (3 on IPv4, 4 on
/// IPv6), addressed to ourselves.
Hello refuse_version(const HelloSelf& self, std::uint32_t preferred);

/// Which form the LNet headers of a connection have.
constexpr HeaderForm header_form(std::uint32_t hello_version) {
  return hello_version >= 4 ? HeaderForm::kNid16 : HeaderForm::kNid4;
}

}  // namespace ulnet::wire
