// Framing headers and the acknowledgements in them. The rest of the input is cookies, which are
// merged into a NOOP.
#include <set>

#include "input.h"
#include "lnet/wire/ksock_ack.h"

using namespace ulnet;

namespace {

void check_frame(ByteView bytes, Order order) {
  const auto frame = wire::decode_frame(bytes, order);
  if (!frame) return;
  std::vector<std::byte> again(wire::kFrameBytes);
  wire::encode_frame(*frame, again, order);
  ULNET_ASSERT(again == fuzz::copy_of(bytes.first(wire::kFrameBytes)));
  for (const std::uint32_t version : {2U, 3U, 4U}) {
    const auto acks = wire::acks_of(*frame, version);
    if (!acks || acks->count() > 1000) continue;
    std::uint64_t named = 0;
    acks->for_each([&](std::uint64_t cookie) {
      ULNET_ASSERT(acks->contains(cookie) && cookie != wire::kNoCookie);
      ++named;
    });
    ULNET_ASSERT(named == acks->count());
  }
}

// A receiver reads the same cookies that were merged.
void check_merging(ByteView cookies) {
  wire::NoopAcks acks = wire::NoopAcks::keepalive();
  std::set<std::uint64_t> merged;
  for (const std::byte cookie : cookies) {
    const auto value = static_cast<std::uint64_t>(cookie);
    if (acks.merge(value)) ULNET_ASSERT(merged.insert(value).second);
  }
  std::set<std::uint64_t> read;
  wire::acks_of(acks.frame(), 3).value().for_each([&](std::uint64_t cookie) {
    read.insert(cookie);
  });
  ULNET_ASSERT(read == merged);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes = fuzz::bytes_of(data, size);
  check_frame(bytes, Order::kLittle);
  check_frame(bytes, Order::kBig);
  if (size >= wire::kFrameBytes) check_merging(bytes.subspan(wire::kFrameBytes));
  return 0;
}
