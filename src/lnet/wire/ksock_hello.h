// The hello, which each side of a TCP connection sends first: its NID and PID, its incarnation,
// and the type of the connection. One struct for all four versions. Source: spec/wire-socklnd.md
// 4, 5.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/base/limits.h"
#include "lnet/wire/decode_error.h"
#include "lnet/wire/lnet_header.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

inline constexpr std::uint32_t kHelloMagic = 0x45726963;    ///< versions 2 to 4
inline constexpr std::uint32_t kHelloMagicV1 = 0xeebc0ded;  ///< version 1, a legacy LNet header
inline constexpr std::size_t kHelloBytesV1 = 72;
inline constexpr std::size_t kHelloBytesV3 = 56;  ///< version 2 as well
inline constexpr std::size_t kHelloBytesV4 = 80;
inline constexpr std::size_t kHelloBytesMax = kHelloBytesV1 + 4 * limits::kMaxHelloAddresses;
inline constexpr std::uint32_t kHelloVersionMax = 4;

/// What a connection carries, in the view of the side that sends the type (spec/wire-socklnd.md 5).
enum class ConnType : std::uint32_t {
  kAny = 0,
  kControl = 1,
  kBulkIn = 2,
  kBulkOut = 3,
  kNone = 0xffffffff
};
const char* to_string(ConnType type);
/// The type of the same connection in the other side's view.
constexpr ConnType mirror(ConnType type) {
  if (type == ConnType::kBulkIn) return ConnType::kBulkOut;
  if (type == ConnType::kBulkOut) return ConnType::kBulkIn;
  return type;
}

struct Hello {
  std::uint32_t version = 3;
  Nid src_nid;
  Nid dst_nid;  ///< as the sender knows it; not in version 1; the receiver must not check it
  Pid src_pid = Pid::lustre();
  Pid dst_pid{0};                        ///< unused; the answer repeats it
  std::uint64_t src_incarnation = 0;     ///< one value per incarnation of the sender's NI
  std::uint64_t dst_incarnation = 0;     ///< unused; the answer repeats it
  ConnType type = ConnType::kControl;    ///< in the sender's view; kNone is a refusal
  std::vector<std::uint32_t> addresses;  ///< IPv4 as host integers, versions 1 to 3; ignored

  bool is_refusal() const { return type == ConnType::kNone; }
  bool operator==(const Hello&) const = default;
};

/// A hello and the byte order of its sender. The framing headers that follow on the connection
/// have that order too; LNet headers never (spec/wire-socklnd.md 4.4). Version 1 is always
/// little-endian.
struct ReceivedHello {
  Hello hello;
  Order order = Order::kLittle;
};

/// The number of bytes, counted from the begin of the hello, that the caller needs next: 8, then
/// the fixed part, then the whole hello with its addresses. If `prefix` has that many, the hello is
/// complete. kBadMagic: the caller closes the connection without an answer. kBadVersion: the magic
/// is right, and the caller answers with refuse_version(). kBadCount: too many addresses.
Decoded<std::size_t> hello_bytes(ByteView prefix);
/// Reads a complete hello. Errors: those of hello_bytes(); kBadNid (the source is invalid or
/// "any"), kBadType, kBadAddress.
Decoded<ReceivedHello> decode_hello(ByteView bytes);

std::size_t hello_bytes(const Hello& hello);
/// Writes exactly hello_bytes(hello). Programmer errors: a large NID below version 4, addresses
/// in version 4, or more than kMaxHelloAddresses. Order::kBig is for tests: ulnet sends
/// little-endian.
void encode_hello(const Hello& hello, ByteSpan out, Order order = Order::kLittle);

/// The identity of the side that sends a hello.
struct HelloSelf {
  Nid nid;
  Pid pid = Pid::lustre();
  std::uint64_t incarnation = 0;
};
/// The passive side's answer to `offer`: of the same version, with the type mirrored
/// (spec/wire-socklnd.md 4.5).
Hello answer_hello(const Hello& offer, const HelloSelf& self);
/// The passive side's refusal of `offer`: like the answer, but with type NONE. A `version` other
/// than the offer's asks the peer to connect again with that version.
Hello refuse_hello(const Hello& offer, const HelloSelf& self, std::uint32_t version);
/// The answer to a hello of an unknown version: a refusal in the version that this node prefers
/// (3 on IPv4, 4 on IPv6), addressed to this node itself.
Hello refuse_version(const HelloSelf& self, std::uint32_t preferred);

/// The form of the LNet headers on a connection of this version.
constexpr HeaderForm header_form(std::uint32_t hello_version) {
  return hello_version >= 4 ? HeaderForm::kNid16 : HeaderForm::kNid4;
}

}  // namespace ulnet::wire
