// Ping info: any bytes give a reason, or a value that round-trips in both byte orders. For a
// truncated one the needed size is reported.
#include "input.h"
#include "lnet/wire/ping_info.h"

using namespace ulnet;

namespace {

constexpr std::uint32_t kMaxInterfaces = 64;
constexpr std::size_t kLargestInfo = 16 + 16 * kMaxInterfaces + 24 * kMaxInterfaces;

void check_truncated(ByteView bytes, std::size_t needed) {
  ULNET_ASSERT(needed > bytes.size() && needed <= kLargestInfo);
  auto longer = fuzz::copy_of(bytes);
  longer.resize(needed);
  const auto info = wire::decode_ping_info(longer, kMaxInterfaces);
  if (bytes.size() >= wire::kPingInfoBytesMin)
    ULNET_ASSERT(info || info.error().why != wire::DecodeError::kTruncated);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes = fuzz::bytes_of(data, size);
  const auto info = wire::decode_ping_info(bytes, kMaxInterfaces);
  if (!info) {
    if (info.error().why == wire::DecodeError::kTruncated)
      check_truncated(bytes, info.error().needed);
    return 0;
  }
  ULNET_ASSERT(wire::ping_info_bytes(*info) <= bytes.size());
  wire::PingInfo expected = *info;
  expected.features &= ~std::uint32_t{wire::kPingMetadata};
  for (const Order order : {Order::kLittle, Order::kBig}) {
    std::vector<std::byte> again(wire::ping_info_bytes(*info));
    wire::encode_ping_info(*info, again, order);
    ULNET_ASSERT(wire::decode_ping_info(again, kMaxInterfaces).value() == expected);
  }
  return 0;
}
