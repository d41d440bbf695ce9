// Selftest messages: any bytes give a reason, or a value that encodes and decodes to itself. The
// same bytes as a list of destinations give a reason, or as many destinations as were asked for.
#include "input.h"
#include "lnet/wire/lst_message.h"

using namespace ulnet;

namespace {

void check_message(ByteView bytes) {
  const auto message = wire::decode_lst_message(bytes);
  if (!message) return;
  std::vector<std::byte> again(wire::kLstMessageBytes);
  wire::encode_lst_message(*message, std::span<std::byte, wire::kLstMessageBytes>(again));
  ULNET_ASSERT(wire::decode_lst_message(again).value() == *message);
  ULNET_ASSERT(wire::lst_message_bytes_used(*message) <= wire::kLstMessageBytes);
}

void check_destinations(ByteView bytes) {
  if (bytes.size() < 4) return;
  const auto asked = load_le<std::uint32_t>(bytes.data());
  for (const Order order : {Order::kLittle, Order::kBig}) {
    const auto list = wire::decode_lst_destinations(bytes.subspan(4), asked, order);
    if (!list) continue;
    ULNET_ASSERT(list->size() == asked);
    std::vector<std::byte> again(wire::lst_destinations_bytes(asked, 0));
    wire::encode_lst_destinations(*list, again, order);
    ULNET_ASSERT(wire::decode_lst_destinations(again, asked, order).value() == *list);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> bytes = fuzz::copy_of(fuzz::bytes_of(data, size));
  check_message(bytes);
  check_destinations(bytes);
  return 0;
}
