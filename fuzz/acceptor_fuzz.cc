// Acceptor requests, whole and byte by byte.
#include "input.h"
#include "lnet/wire/acceptor.h"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes = fuzz::bytes_of(data, size);
  for (std::size_t length = 0; length <= size && length <= wire::kAcceptorBytesMax; ++length) {
    const auto prefix = fuzz::copy_of(bytes.first(length));
    const auto needed = wire::acceptor_bytes(prefix);
    if (!needed || *needed <= length) break;
    ULNET_ASSERT(*needed <= wire::kAcceptorBytesMax);
    ULNET_ASSERT(wire::decode_acceptor(prefix).error().why == wire::DecodeError::kTruncated);
  }
  const auto request = wire::decode_acceptor(bytes);
  if (!request) return 0;
  for (const Order order : {Order::kLittle, Order::kBig}) {
    std::vector<std::byte> again(wire::acceptor_bytes(*request));
    wire::encode_acceptor(*request, again, order);
    ULNET_ASSERT(wire::decode_acceptor(again).value() == *request);
  }
  return 0;
}
