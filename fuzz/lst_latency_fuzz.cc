// The selftest's histogram of latencies: any bytes give a reason, or a value that encodes and
// decodes to itself and whose RPCs can be counted.
#include "input.h"
#include "lnet/wire/lst_latency.h"
#include "selftest/service/latency.h"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> bytes = fuzz::copy_of(fuzz::bytes_of(data, size));
  const auto counts = wire::decode_lst_latency(bytes);
  if (!counts) return 0;
  std::vector<std::byte> again(wire::kLstLatencyBytes);
  wire::encode_lst_latency(*counts, std::span<std::byte, wire::kLstLatencyBytes>(again));
  ULNET_ASSERT(wire::decode_lst_latency(again).value() == *counts);
  const svc::selftest::Latency latency(*counts);
  ULNET_ASSERT(latency.count() <= wire::kLstMaxLatency);
  ULNET_ASSERT(latency.within(500) <= latency.within(990));
  ULNET_ASSERT(latency.within(990) <= latency.within(1000));
  return 0;
}
