// Texts of NIDs and process ids: what parses prints to a text that parses to the same value.
#include "input.h"
#include "ulnet/nid.hpp"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto nid = Nid::parse(text)) {
    const std::string printed = nid->to_string();
    ULNET_ASSERT(printed.size() < 64);
    ULNET_ASSERT(Nid::parse(printed).value() == *nid);
  } else {
    ULNET_ASSERT(nid.error().code == -EINVAL && !nid.error().reason.empty());
  }
  if (const auto id = ProcessId::parse(text))
    ULNET_ASSERT(ProcessId::parse(id->to_string()).value() == *id);
  return 0;
}
