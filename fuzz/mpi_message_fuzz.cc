// Short messages of LNet over MPI: greetings, and batches with their frames.
#include "input.h"
#include "lnet/base/limits.h"
#include "lnet/wire/mpi_message.h"

using namespace ulnet;

namespace {

void check_greeting(ByteView bytes) {
  const auto greeting = wire::decode_greeting(bytes);
  if (!greeting) return;
  ULNET_ASSERT(wire::is_greeting(bytes) && bytes.size() == wire::kMpiGreetingBytes);
  std::vector<std::byte> again(wire::kMpiGreetingBytes);
  wire::encode_greeting(*greeting, again);
  ULNET_ASSERT(wire::decode_greeting(again).value() == *greeting);
  ULNET_ASSERT(wire::common_version(*greeting, *greeting) == greeting->max_version);
}

void check_batch(ByteView bytes) {
  ByteView rest;
  const auto batch = wire::decode_batch(bytes, rest);
  if (!batch) return;
  std::vector<std::byte> again(wire::kMpiBatchBytes);
  wire::encode_batch(*batch, again);
  ByteView none;
  ULNET_ASSERT(wire::decode_batch(again, none).value() == *batch && none.empty());
  while (!rest.empty()) {
    const std::size_t before = rest.size();
    const auto frame = wire::take_frame(rest);
    if (!frame) return;
    ULNET_ASSERT(frame->payload.size() <= limits::kMtu);
    const std::size_t taken = before - rest.size();
    ULNET_ASSERT(taken % 8 == 0 && taken >= frame_bytes(*frame));
    std::vector<std::byte> written(frame_bytes(*frame));
    encode_frame(*frame, written);
    ByteView in = written;
    const auto read = wire::take_frame(in);
    ULNET_ASSERT(read && in.empty() && read->type == frame->type && read->tag == frame->tag);
    ULNET_ASSERT(read->header == frame->header);
    ULNET_ASSERT(std::equal(read->payload.begin(), read->payload.end(), frame->payload.begin(),
                            frame->payload.end()));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::copy_of(fuzz::bytes_of(data, size));
  check_greeting(bytes);
  check_batch(bytes);
  return 0;
}
