#include "lnet/wire/lst_latency.h"

namespace ulnet::wire {
namespace {

constexpr std::uint64_t kLatencyMagic = 0x31414c54454e4c55;  // "ULNETLA1"

}  // namespace

void encode_lst_latency(const LstLatency& latency, std::span<std::byte, kLstLatencyBytes> out) {
  Writer to(out, Order::kLittle);
  to.put(kLatencyMagic);
  to.u32(kLstLatencyBuckets);
  to.u32(latency.failed);
  for (const std::uint64_t count : latency.buckets) to.put(count);
}

Decoded<LstLatency> decode_lst_latency(ByteView received) {
  if (received.size() < kLstLatencyBytes) return refuse(DecodeError::kTruncated);
  if (received.size() > kLstLatencyBytes) return refuse(DecodeError::kBadCount);
  Reader in(received, Order::kLittle);
  if (in.u64() != kLatencyMagic) return refuse(DecodeError::kBadMagic);
  if (in.u32() != kLstLatencyBuckets) return refuse(DecodeError::kBadCount);
  LstLatency latency{.failed = in.u32()};
  std::uint64_t all = 0;
  for (std::uint64_t& count : latency.buckets) {
    count = in.u64();
    if (count > kLstMaxLatency - all) return refuse(DecodeError::kBadCount);
    all += count;
  }
  return latency;
}

}  // namespace ulnet::wire
