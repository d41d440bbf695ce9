// For property tests (rapidcheck): arbitrary values of the structures in src/lnet/wire, and all
// truncations of a byte sequence.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "lnet/wire/acceptor.h"
#include "lnet/wire/ksock_frame.h"
#include "lnet/wire/ksock_hello.h"
#include "lnet/wire/lnet_header.h"
#include "lnet/wire/ping_info.h"
#include "lnet/wire/vectors_fixture.h"

namespace ulnet::wire::gen {

inline rc::Gen<NetId> net() {
  return rc::gen::construct<NetId>(
      rc::gen::element(NetType::kTcp, NetType::kO2ib, NetType::kLo, NetType::kGni, NetType::kGip,
                       NetType::kPtlf, NetType::kKfi, NetType::kEfa, NetType::kBxi3f, NetType::kMpi,
                       NetType::kUp, NetType::kShm, NetType{17}, NetType{200}),
      rc::gen::arbitrary<std::uint16_t>());
}
inline rc::Gen<Nid> small_nid() {
  return rc::gen::map(rc::gen::pair(net(), rc::gen::arbitrary<std::uint32_t>()),
                      [](const auto& made) { return Nid::small(made.first, made.second); });
}
inline rc::Gen<Nid> large_nid() {
  const auto address =
      rc::gen::container<std::array<std::uint8_t, 16>>(rc::gen::arbitrary<std::uint8_t>());
  return rc::gen::map(rc::gen::pair(net(), address),
                      [](const auto& made) { return Nid::large(made.first, made.second); });
}
inline rc::Gen<Nid> nid() {
  return rc::gen::oneOf(small_nid(), large_nid(), rc::gen::just(Nid::any()));
}
/// An arbitrary NID that headers of this form can carry.
inline rc::Gen<Nid> nid_for(HeaderForm form) {
  return form == HeaderForm::kNid4 ? small_nid() : nid();
}

inline rc::Gen<Pid> pid() { return rc::gen::construct<Pid>(rc::gen::arbitrary<std::uint32_t>()); }
inline rc::Gen<WireHandle> handle() {
  return rc::gen::construct<WireHandle>(rc::gen::arbitrary<std::uint64_t>(),
                                        rc::gen::arbitrary<std::uint64_t>());
}

inline LnetHeader any_header(HeaderForm form) {
  const auto u32 = [] { return *rc::gen::arbitrary<std::uint32_t>(); };
  const auto u64 = [] { return *rc::gen::arbitrary<std::uint64_t>(); };
  LnetHeader header;
  header.dest_nid = *nid_for(form);
  header.src_nid = *nid_for(form);
  header.dest_pid = *pid();
  header.src_pid = *pid();
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      header.part = AckPart{*handle(), u64(), u32()};
      return header;
    case 1:
      header.part = PutPart{*handle(), u64(), u64(), u32(), u32()};
      break;
    case 2:
      header.part = GetPart{*handle(), u64(), u32(), u32(), u32()};
      return header;
    default:
      header.part = ReplyPart{*handle()};
  }
  header.payload_length = *rc::gen::inRange<std::uint32_t>(0, limits::kMtu + 1);
  return header;
}

inline Hello any_hello() {
  Hello hello;
  hello.version = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto real = rc::gen::oneOf(small_nid(), hello.version == 4 ? large_nid() : small_nid());
  hello.src_nid = *real;
  hello.src_pid = *pid();
  hello.dst_pid = *pid();
  hello.src_incarnation = *rc::gen::arbitrary<std::uint64_t>();
  hello.type = *rc::gen::element(ConnType::kAny, ConnType::kControl, ConnType::kBulkIn,
                                 ConnType::kBulkOut, ConnType::kNone);
  if (hello.version > 1) {
    hello.dst_nid = *rc::gen::oneOf(real, rc::gen::just(Nid::any()));
    hello.dst_incarnation = *rc::gen::arbitrary<std::uint64_t>();
  }
  if (hello.version < 4) {
    hello.addresses.resize(*rc::gen::inRange<std::size_t>(0, limits::kMaxHelloAddresses + 1));
    for (auto& address : hello.addresses) address = *rc::gen::inRange<std::uint32_t>(1, 0xffffffff);
  }
  return hello;
}

inline std::vector<PingEntry> any_entries(const rc::Gen<Nid>& nids) {
  std::vector<PingEntry> entries(*rc::gen::inRange<std::size_t>(0, 20));
  for (PingEntry& entry : entries) entry = {*nids, NiStatus{*rc::gen::arbitrary<std::uint32_t>()}};
  return entries;
}
inline PingInfo any_ping_info() {
  PingInfo info;
  info.legacy = any_entries(small_nid());
  info.large = any_entries(rc::gen::oneOf(small_nid(), large_nid()));
  info.features =
      (*rc::gen::arbitrary<std::uint32_t>() | kPingNiStatus) & ~std::uint32_t{kPingMetadata};
  if (!info.large.empty()) info.features |= kPingLargeAddr;
  info.pid = *pid();
  info.sequence = *rc::gen::arbitrary<std::uint32_t>();
  return info;
}

/// Calls fn(prefix) for every proper prefix of `bytes`, each in memory of exactly its size.
template <class Fn>
void every_truncation(const std::vector<std::byte>& bytes, Fn&& fn) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE(length);
    const std::vector<std::byte> prefix(bytes.begin(),
                                        bytes.begin() + static_cast<std::ptrdiff_t>(length));
    fn(ByteView(prefix));
  }
}

}  // namespace ulnet::wire::gen
