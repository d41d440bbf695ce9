// Network identifiers in memory: NetId, Nid, Pid, ProcessId. All of ulnet uses these types. Their
// layout on the wire is in lnet/wire/nid.h. Source: spec/wire-lnet.md 1, spec/core-semantics.md
// 1.1.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ulnet/cxx20.hpp"
#include "ulnet/export.h"
#include "ulnet/result.hpp"

namespace ulnet {

/// Types of LNet drivers that have a number (spec/wire-lnet.md 1.1). ulnet carries any other
/// number unchanged.
enum class NetType : std::uint8_t {
  kTcp = 2,
  kO2ib = 5,
  kLo = 9,
  kGni = 13,
  kGip = 14,
  kPtlf = 15,
  kKfi = 16,
  kEfa = 18,
  kBxi3f = 19,
  // Drivers of ulnet alone: Lustre does not use numbers from 128.
  kMpi = 128,
  kUp = 129,
  kShm = 130,
  kAny = 255,
};

/// A network: driver type and number. `tcp` and `tcp0` are the same.
struct ULNET_EXPORT NetId {
  NetType type = NetType::kAny;
  std::uint16_t num = 0xffff;

  static constexpr NetId any() { return {}; }
  static constexpr NetId loopback() { return {NetType::kLo, 0}; }
  /// LNet's 32-bit form, (type << 16) | num.
  constexpr std::uint32_t value() const { return static_cast<std::uint32_t>(type) << 16 | num; }
  constexpr bool is_any() const { return type == NetType::kAny; }
  /// "tcp", "tcp3"; "<17:2>" for a type without a name.
  std::string to_string() const;
  /// Reads the name of a type with an optional decimal number. -EINVAL; the reason says why.
  static Result<NetId> parse(std::string_view text);

  constexpr auto operator<=>(const NetId&) const = default;
};

/// A NID, small (4 address bytes) or large (up to 16). It is stored in its extended form, the 20
/// bytes of large-NID structures on the wire. Comparing two NIDs compares these bytes, as the rule
/// for connection races requires. The default value is "any".
struct ULNET_EXPORT Nid {
  std::uint8_t size = 0xff;  ///< address bytes beyond 4: 0 for IPv4 and numbers, 12 for IPv6
  std::uint8_t type = 0xff;
  std::array<std::uint8_t, 2> num_be = {0xff, 0xff};
  std::array<std::uint8_t, 16> addr = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

  static constexpr Nid any() { return {}; }
  static constexpr Nid loopback() { return small(NetId::loopback(), 0); }
  /// A NID with a 4-byte address, given as a host integer (192.168.1.10 = 0xC0A8010A).
  static constexpr Nid small(NetId net, std::uint32_t address) {
    Nid nid;
    nid.size = 0;
    nid.type = static_cast<std::uint8_t>(net.type);
    nid.num_be = {static_cast<std::uint8_t>(net.num >> 8), static_cast<std::uint8_t>(net.num)};
    nid.addr = {static_cast<std::uint8_t>(address >> 24), static_cast<std::uint8_t>(address >> 16),
                static_cast<std::uint8_t>(address >> 8), static_cast<std::uint8_t>(address)};
    return nid;
  }
  /// A NID with a 16-byte address, given in network byte order.
  static constexpr Nid large(NetId net, const std::array<std::uint8_t, 16>& address) {
    Nid nid = small(net, 0);
    nid.size = 12;
    nid.addr = address;
    return nid;
  }
  /// From the legacy 64-bit form, in which all ones are "any".
  static constexpr Nid from_nid4(std::uint64_t nid4) {
    if (nid4 == ~0ULL) return any();
    return small({static_cast<NetType>(nid4 >> 48 & 0xff), static_cast<std::uint16_t>(nid4 >> 32)},
                 static_cast<std::uint32_t>(nid4));
  }
  /// The legacy 64-bit form. Call it only if is_small() or is_any(): a large NID has no such
  /// form.
  constexpr std::uint64_t to_nid4() const {
    if (is_any()) return ~0ULL;
    return static_cast<std::uint64_t>(net().value()) << 32 | address4();
  }

  constexpr bool is_any() const { return type == 0xff; }
  constexpr bool is_small() const { return size == 0 && !is_any(); }
  constexpr bool is_loopback() const { return type == static_cast<std::uint8_t>(NetType::kLo); }
  constexpr NetId net() const {
    return {static_cast<NetType>(type), static_cast<std::uint16_t>(num_be[0] << 8 | num_be[1])};
  }
  /// The first four address bytes as a host integer.
  constexpr std::uint32_t address4() const {
    return static_cast<std::uint32_t>(addr[0]) << 24 | static_cast<std::uint32_t>(addr[1]) << 16 |
           static_cast<std::uint32_t>(addr[2]) << 8 | addr[3];
  }

  /// LNet's text form (spec/wire-lnet.md 1.5): "192.168.1.10@tcp3", "2001:db8::1@tcp", "7@kfi",
  /// "0@lo", "<?>".
  std::string to_string() const;
  /// Reads any text form; without "@net" the net is tcp. Host names are not resolved. -EINVAL;
  /// the reason says why.
  static Result<Nid> parse(std::string_view text);

  bool operator==(const Nid& other) const {
    return word(0) == other.word(0) && word(8) == other.word(8) && half(16) == other.half(16);
  }
  std::strong_ordering operator<=>(const Nid& other) const {
    if (word(0) != other.word(0)) return bytes_in_order(word(0)) <=> bytes_in_order(other.word(0));
    if (word(8) != other.word(8)) return bytes_in_order(word(8)) <=> bytes_in_order(other.word(8));
    return bytes_in_order(half(16)) <=> bytes_in_order(other.half(16));
  }

 private:
  // Two NIDs are compared at nearly every step of a message. A call of memcmp costs more than the
  // three loads.
  std::uint64_t word(std::size_t offset) const { return load<std::uint64_t>(offset); }
  std::uint32_t half(std::size_t offset) const { return load<std::uint32_t>(offset); }
  template <typename Word>
  Word load(std::size_t offset) const {
    Word loaded;
    std::memcpy(&loaded, reinterpret_cast<const std::uint8_t*>(this) + offset, sizeof(Word));
    return loaded;
  }
  static constexpr std::uint64_t bytes_in_order(std::uint64_t word) {
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
  }
  static constexpr std::uint32_t bytes_in_order(std::uint32_t word) {
    return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
  }
};
static_assert(sizeof(Nid) == 20 && alignof(Nid) == 1);

/// Process id (spec/wire-lnet.md 1.6).
struct Pid {
  std::uint32_t value = 0xffffffff;

  static constexpr Pid any() { return {}; }
  static constexpr Pid lustre() { return {12345}; }
  /// The PID of a peer that connects from an unprivileged TCP port: the port with the user flag
  /// (spec/wire-socklnd.md 2.2).
  static constexpr Pid user(std::uint16_t port) { return {0x80000000U | port}; }
  constexpr bool is_any() const { return value == 0xffffffff; }
  constexpr bool is_user() const { return (value & 0x80000000U) != 0; }
  constexpr auto operator<=>(const Pid&) const = default;
};

struct ULNET_EXPORT ProcessId {
  Nid nid;
  Pid pid;

  /// "12345-192.168.1.10@tcp", "U40000-...", "LNET_PID_ANY-...".
  std::string to_string() const;
  /// Reads "[PID-]NID" with a PID as to_string() prints it; without a PID it is 12345. -EINVAL;
  /// the reason says why.
  static Result<ProcessId> parse(std::string_view text);
  bool operator==(const ProcessId&) const = default;
};

/// A hash for tables of NIDs. Nothing may depend on the order in which such a table is iterated.
struct NidHash {
  std::size_t operator()(const Nid& nid) const {
    std::uint64_t a;
    std::uint64_t b;
    std::uint32_t c;
    std::memcpy(&a, &nid.size, 8);
    std::memcpy(&b, nid.addr.data() + 4, 8);
    std::memcpy(&c, nid.addr.data() + 12, 4);
    a = (a ^ b * 0x9e3779b97f4a7c15ULL ^ static_cast<std::uint64_t>(c) << 17) *
        0xbf58476d1ce4e5b9ULL;
    return a ^ a >> 31;
  }
};

}  // namespace ulnet
