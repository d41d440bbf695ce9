#include "lnet/wire/crc32.h"

#include <zlib.h>

namespace ulnet::wire {

void Crc32::update(ByteView bytes) {
  if (bytes.empty()) return;  // zlib restarts the checksum for a null pointer
  inverted_ = static_cast<std::uint32_t>(
      ::crc32_z(inverted_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace ulnet::wire
