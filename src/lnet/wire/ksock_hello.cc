#include "lnet/wire/ksock_hello.h"

#include "lnet/wire/nid.h"

namespace ulnet::wire {
namespace {

constexpr std::uint32_t kHelloMessage = 4;     // LNet message type of a version 1 hello
constexpr std::size_t kAddressCountAt = 52;    // offset in versions 2 and 3
constexpr std::size_t kAddressBytesAtV1 = 28;  // offset in version 1: its payload length

struct Start {
  Order order = Order::kLittle;
  std::uint32_t version = 0;
};

// Reads the first 8 bytes. Version 1 has a major and a minor number in the place of the version.
Decoded<Start> read_start(ByteView bytes) {
  Reader in(bytes);
  const std::uint32_t magic = in.u32();
  Start start;
  if (magic == swap_bytes(kHelloMagic)) {
    start.order = Order::kBig;
    in.set_order(Order::kBig);
  } else if (magic != kHelloMagic && magic != kHelloMagicV1) {
    return refuse(DecodeError::kBadMagic);
  }
  if (bytes.size() < 8) return start;
  start.version = in.u32();
  const bool known = magic == kHelloMagicV1
                         ? start.version == 1
                         : start.version >= 2 && start.version <= kHelloVersionMax;
  if (!known) return refuse(DecodeError::kBadVersion);
  return start;
}

constexpr std::size_t fixed_bytes(std::uint32_t version) {
  if (version == 1) return kHelloBytesV1;
  return version == 4 ? kHelloBytesV4 : kHelloBytesV3;
}

// The number of addresses behind the fixed part. The fixed part must be complete.
Decoded<std::size_t> address_count(ByteView bytes, const Start& start) {
  if (start.version == 4) return 0;  // it has a count, but no addresses are read
  const std::size_t at = start.version == 1 ? kAddressBytesAtV1 : kAddressCountAt;
  std::size_t count = Reader(bytes.subspan(at), start.order).u32();
  if (start.version == 1) {
    if (count % 4 != 0) return refuse(DecodeError::kBadCount);
    count /= 4;
  }
  if (count > limits::kMaxHelloAddresses) return refuse(DecodeError::kBadCount);
  return count;
}

// The receiver does not check the destination NID (spec/wire-socklnd.md 4.5), so an invalid one
// becomes "any".
Nid lenient(const Decoded<Nid>& nid) { return nid.value_or(Nid::any()); }

// Reads the fixed part of version 1, which is an old LNet header. kBadNid or kBadType.
Decoded<Hello> read_fixed_v1(Reader& in) {
  Hello hello;
  const Decoded<Nid> source = read_nid4(in);
  if (!source) return refuse(source.error());
  hello.src_nid = *source;
  hello.dst_pid = Pid{in.u32()};
  hello.src_pid = Pid{in.u32()};
  if (in.u32() != kHelloMessage) return refuse(DecodeError::kBadType);
  in.skip(4);
  hello.src_incarnation = in.u64();
  hello.type = ConnType{in.u32()};
  in.skip(kHelloBytesV1 - 44);
  return hello;
}

Decoded<Hello> read_fixed(Reader& in, std::uint32_t version) {
  Hello hello;
  const Decoded<Nid> source = version == 4 ? read_nid16(in) : read_nid4(in);
  if (!source) return refuse(source.error());
  hello.src_nid = *source;
  hello.dst_nid = lenient(version == 4 ? read_nid16(in) : read_nid4(in));
  hello.src_pid = Pid{in.u32()};
  hello.dst_pid = Pid{in.u32()};
  hello.src_incarnation = in.u64();
  hello.dst_incarnation = in.u64();
  hello.type = ConnType{in.u32()};
  in.skip(4);
  return hello;
}

bool known(ConnType type) { return type <= ConnType::kBulkOut || type == ConnType::kNone; }

void write_fixed_v1(Writer& to, const Hello& hello) {
  write_nid4(to, hello.src_nid);
  to.u32(hello.dst_pid.value);
  to.u32(hello.src_pid.value);
  to.u32(kHelloMessage);
  to.u32(static_cast<std::uint32_t>(4 * hello.addresses.size()));
  to.u64(hello.src_incarnation);
  to.u32(static_cast<std::uint32_t>(hello.type));
  to.zeros(kHelloBytesV1 - 44);
}

void write_fixed(Writer& to, const Hello& hello) {
  for (const Nid& nid : {hello.src_nid, hello.dst_nid}) {
    if (hello.version == 4) {
      write_nid16(to, nid);
    } else {
      write_nid4(to, nid);
    }
  }
  to.u32(hello.src_pid.value);
  to.u32(hello.dst_pid.value);
  to.u64(hello.src_incarnation);
  to.u64(hello.dst_incarnation);
  to.u32(static_cast<std::uint32_t>(hello.type));
  to.u32(static_cast<std::uint32_t>(hello.addresses.size()));
}

}  // namespace

const char* to_string(ConnType type) {
  switch (type) {
    case ConnType::kAny:
      return "ANY";
    case ConnType::kControl:
      return "CONTROL";
    case ConnType::kBulkIn:
      return "BULK_IN";
    case ConnType::kBulkOut:
      return "BULK_OUT";
    case ConnType::kNone:
      return "NONE";
  }
  return "unknown";
}

Decoded<std::size_t> hello_bytes(ByteView prefix) {
  if (prefix.size() < 4) return 8;
  const Decoded<Start> start = read_start(prefix);
  if (!start) return refuse(start.error());
  if (prefix.size() < 8) return 8;
  const std::size_t fixed = fixed_bytes(start->version);
  if (prefix.size() < fixed) return fixed;
  const Decoded<std::size_t> addresses = address_count(prefix, *start);
  if (!addresses) return addresses;
  return fixed + 4 * *addresses;
}

Decoded<ReceivedHello> decode_hello(ByteView bytes) {
  const Decoded<std::size_t> needed = hello_bytes(bytes);
  if (!needed) return refuse(needed.error());
  if (bytes.size() < *needed) return refuse(DecodeError::kTruncated);
  const Start start = *read_start(bytes);
  Reader in(bytes.first(*needed), start.order);
  in.skip(8);
  Decoded<Hello> hello = start.version == 1 ? read_fixed_v1(in) : read_fixed(in, start.version);
  if (!hello) return refuse(hello.error());
  hello->version = start.version;
  if (hello->src_nid.is_any()) return refuse(DecodeError::kBadNid);
  if (!known(hello->type)) return refuse(DecodeError::kBadType);
  while (!in.rest().empty()) {
    hello->addresses.push_back(in.u32());
    if (hello->addresses.back() == 0) return refuse(DecodeError::kBadAddress);
  }
  return ReceivedHello{*std::move(hello), start.order};
}

std::size_t hello_bytes(const Hello& hello) {
  return fixed_bytes(hello.version) + 4 * hello.addresses.size();
}

void encode_hello(const Hello& hello, ByteSpan out, Order order) {
  ULNET_ASSERT(hello.version >= 1 && hello.version <= kHelloVersionMax);
  ULNET_ASSERT(hello.addresses.size() <= (hello.version == 4 ? 0 : limits::kMaxHelloAddresses));
  Writer to(out.first(hello_bytes(hello)), hello.version == 1 ? Order::kLittle : order);
  to.u32(hello.version == 1 ? kHelloMagicV1 : kHelloMagic);
  to.u32(hello.version);
  if (hello.version == 1) {
    write_fixed_v1(to, hello);
  } else {
    write_fixed(to, hello);
  }
  for (const std::uint32_t address : hello.addresses) to.u32(address);
}

Hello answer_hello(const Hello& offer, const HelloSelf& self) {
  Hello answer;
  answer.version = offer.version;
  answer.src_nid = self.nid;
  answer.dst_nid = offer.src_nid;
  answer.src_pid = self.pid;
  answer.dst_pid = offer.dst_pid;
  answer.src_incarnation = self.incarnation;
  answer.dst_incarnation = offer.dst_incarnation;
  answer.type = mirror(offer.type);
  return answer;
}

Hello refuse_hello(const Hello& offer, const HelloSelf& self, std::uint32_t version) {
  Hello refusal = answer_hello(offer, self);
  refusal.version = version;
  refusal.type = ConnType::kNone;
  return refusal;
}

Hello refuse_version(const HelloSelf& self, std::uint32_t preferred) {
  Hello refusal;
  refusal.version = preferred;
  refusal.src_nid = self.nid;
  refusal.dst_nid = self.nid;
  refusal.src_pid = self.pid;
  refusal.src_incarnation = self.incarnation;
  refusal.type = ConnType::kNone;
  return refusal;
}

}  // namespace ulnet::wire
