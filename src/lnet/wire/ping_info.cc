#include "lnet/wire/ping_info.h"

#include <algorithm>

#include "lnet/wire/nid.h"

namespace ulnet::wire {
namespace {

constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kLegacyBytes = 16;
constexpr std::size_t kLargeBytesMax = 24;

tl::unexpected<PingRefusal> refuse_info(DecodeError why, std::size_t needed = 0) {
  return tl::unexpected<PingRefusal>(PingRefusal{why, needed});
}

// The size of a large entry: the status and the used bytes of the NID, rounded up to 4
// (spec/wire-lnet.md 4.5).
constexpr std::size_t large_bytes(std::uint8_t nid_size) {
  return (4 + 8 + std::size_t{nid_size} + 3) & ~std::size_t{3};
}

struct Head {
  Order order = Order::kLittle;
  std::uint32_t features = 0;
  Pid pid;
  std::uint32_t legacy_count = 0;  // the loopback entry included
  std::uint32_t sequence = 0;
  std::size_t legacy_end = 0;
  std::size_t total = 0;
};

// Reads the first 32 bytes; the checks are in the order of spec/wire-lnet.md 4.4.
tl::expected<Head, PingRefusal> read_head(ByteView received, std::uint32_t max_interfaces) {
  Reader in(received);
  Head head;
  const std::uint32_t magic = in.u32();
  if (in.ok() && magic != kPingMagic) {
    if (magic != swap_bytes(kPingMagic)) return refuse_info(DecodeError::kBadMagic);
    head.order = Order::kBig;
    in.set_order(Order::kBig);
  }
  if (received.size() < kPingInfoBytesMin)
    return refuse_info(DecodeError::kTruncated, kPingInfoBytesMin);
  head.features = in.u32();
  head.pid = Pid{in.u32()};
  head.legacy_count = in.u32();
  if ((head.features & kPingNiStatus) == 0) return refuse_info(DecodeError::kNoNiStatus);
  if (head.legacy_count < 1 || head.legacy_count > max_interfaces)
    return refuse_info(DecodeError::kBadCount);
  if (in.u64() != Nid::loopback().to_nid4()) return refuse_info(DecodeError::kNotLoopbackFirst);
  head.sequence = in.u32();
  head.legacy_end = kHeadBytes + kLegacyBytes * head.legacy_count;
  head.total = head.legacy_end;
  if ((head.features & kPingLargeAddr) != 0) {
    head.total = std::max<std::size_t>(in.u32() & ~3U, head.legacy_end);
    if (head.total > head.legacy_end + kLargeBytesMax * max_interfaces)
      return refuse_info(DecodeError::kBadCount);
  }
  if (received.size() < head.total) return refuse_info(DecodeError::kTruncated, head.total);
  return head;
}

void read_legacy(ByteView entries, Order order, std::vector<PingEntry>& out) {
  Reader in(entries, order);
  while (!in.rest().empty()) {
    const auto nid = nid_from_legacy(in.u64());
    const auto status = NiStatus{in.u32()};
    in.skip(4);
    if (nid && !nid->is_any()) out.push_back({*nid, status});
  }
}

// Reads large entries until fewer than 8 bytes remain, or until one would run past the end.
void read_large(ByteView entries, Order order, std::vector<PingEntry>& out) {
  while (entries.size() >= 8) {
    const std::uint8_t size = static_cast<std::uint8_t>(entries[4]);
    const std::size_t length = large_bytes(size);
    if (length > entries.size()) return;
    if (size <= kNidSizeMax) {
      std::array<std::uint8_t, kNid16Bytes> raw{};
      std::memcpy(raw.data(), entries.data() + 4, 8 + std::size_t{size});
      const auto nid = nid_from_raw(raw);
      if (nid && !nid->is_any()) out.push_back({*nid, NiStatus{Reader(entries, order).u32()}});
    }
    entries = entries.subspan(length);
  }
}

void write_large(Writer& to, const PingEntry& entry) {
  ULNET_ASSERT(entry.nid.size <= kNidSizeMax);
  to.u32(static_cast<std::uint32_t>(entry.status));
  to.bytes(&entry.nid, 8 + std::size_t{entry.nid.size});
  to.zeros(large_bytes(entry.nid.size) - 12 - entry.nid.size);
}

}  // namespace

const char* to_string(NiStatus status) {
  if (status == NiStatus::kUp) return "up";
  return status == NiStatus::kDown ? "down" : "invalid";
}

Nid PingInfo::primary() const {
  if (has(kPingPrimaryLarge) && !large.empty()) return large.front().nid;
  return legacy.empty() ? Nid::any() : legacy.front().nid;
}

tl::expected<PingInfo, PingRefusal> decode_ping_info(ByteView received,
                                                     std::uint32_t max_interfaces) {
  const auto head = read_head(received, max_interfaces);
  if (!head) return tl::unexpected(head.error());
  PingInfo info;
  info.features = head->features;
  info.pid = head->pid;
  info.sequence = head->sequence;
  const std::size_t first = kHeadBytes + kLegacyBytes;  // behind the loopback entry
  info.legacy.reserve(head->legacy_count - 1);
  read_legacy(received.subspan(first, head->legacy_end - first), head->order, info.legacy);
  read_large(received.subspan(head->legacy_end, head->total - head->legacy_end), head->order,
             info.large);
  if (info.large.size() > max_interfaces) return refuse_info(DecodeError::kBadCount);
  return info;
}

std::size_t ping_info_bytes(const PingInfo& info) {
  std::size_t bytes = kHeadBytes + kLegacyBytes * (1 + info.legacy.size());
  for (const PingEntry& entry : info.large) bytes += large_bytes(entry.nid.size);
  return bytes;
}

void encode_ping_info(const PingInfo& info, ByteSpan out, Order order) {
  const std::size_t bytes = ping_info_bytes(info);
  std::uint32_t features = info.features & ~std::uint32_t{kPingMetadata};
  if (!info.large.empty()) features |= kPingLargeAddr;
  Writer to(out.first(bytes), order);
  to.u32(kPingMagic);
  to.u32(features);
  to.u32(info.pid.value);
  to.u32(static_cast<std::uint32_t>(1 + info.legacy.size()));
  to.u64(Nid::loopback().to_nid4());
  to.u32(info.sequence);
  to.u32((features & kPingLargeAddr) != 0 ? static_cast<std::uint32_t>(bytes) : 0);
  for (const PingEntry& entry : info.legacy) {
    write_nid4(to, entry.nid);
    to.u32(static_cast<std::uint32_t>(entry.status));
    to.u32(0);
  }
  for (const PingEntry& entry : info.large) write_large(to, entry);
}

}  // namespace ulnet::wire
