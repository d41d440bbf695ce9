// Hellos of all versions, whole and byte by byte. The number of bytes wanted is never less than
// those given, unless the hello is complete.
#include "input.h"
#include "lnet/wire/ksock_hello.h"

using namespace ulnet;

namespace {

void check_growing(ByteView bytes) {
  for (std::size_t length = 0; length <= bytes.size() && length <= wire::kHelloBytesMax; ++length) {
    const auto prefix = fuzz::copy_of(bytes.first(length));
    const auto needed = wire::hello_bytes(prefix);
    if (!needed || *needed <= length) return;
    ULNET_ASSERT(*needed <= wire::kHelloBytesMax);
    ULNET_ASSERT(wire::decode_hello(prefix).error() == wire::DecodeError::kTruncated);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes = fuzz::bytes_of(data, size);
  check_growing(bytes);
  const auto received = wire::decode_hello(bytes);
  if (!received) return 0;
  const wire::Hello& hello = received->hello;
  ULNET_ASSERT(wire::hello_bytes(hello) == wire::hello_bytes(bytes).value());
  for (const Order order : {Order::kLittle, Order::kBig}) {
    std::vector<std::byte> again(wire::hello_bytes(hello));
    wire::encode_hello(hello, again, order);
    ULNET_ASSERT(wire::decode_hello(again).value().hello == hello);
  }
  const wire::HelloSelf self{hello.src_nid, Pid::lustre(), 1};
  const wire::Hello answer = wire::answer_hello(hello, self);
  std::vector<std::byte> sent(wire::hello_bytes(answer));
  wire::encode_hello(answer, sent);
  ULNET_ASSERT(wire::decode_hello(sent).value().hello.type == wire::mirror(hello.type));
  return 0;
}
