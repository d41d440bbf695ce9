// LNet headers of both forms.
#include "input.h"
#include "lnet/base/limits.h"
#include "lnet/wire/lnet_header.h"

using namespace ulnet;

namespace {

void check(ByteView bytes, wire::HeaderForm form) {
  const auto header = wire::decode_header(bytes, form);
  if (bytes.size() < wire::header_bytes(form))
    ULNET_ASSERT(!header && header.error() == wire::DecodeError::kTruncated);
  if (!header) return;
  ULNET_ASSERT(header->payload_length <= limits::kMtu);
  std::vector<std::byte> again(wire::header_bytes(form));
  wire::encode_header(*header, form, again);
  ULNET_ASSERT(wire::decode_header(again, form).value() == *header);
  const auto exact = fuzz::copy_of(bytes.first(wire::header_bytes(form)));
  ULNET_ASSERT(wire::decode_header(exact, form).value() == *header);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(fuzz::bytes_of(data, size), wire::HeaderForm::kNid4);
  check(fuzz::bytes_of(data, size), wire::HeaderForm::kNid16);
  return 0;
}
