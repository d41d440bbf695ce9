// Texts of nets and of patterns over nets.
#include "input.h"
#include "lnet/wire/nid_range.h"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto pattern = wire::NetPattern::parse(text);
  if (const auto net = NetId::parse(text)) {
    ULNET_ASSERT(NetId::parse(net->to_string()).value() == *net);
    ULNET_ASSERT(pattern.value().expand(1).value().at(0) == *net);
  }
  if (!pattern) return 0;
  ULNET_ASSERT(wire::NetPattern::parse(pattern->to_string()).value() == *pattern);
  if (const auto nets = pattern->expand(100)) {
    ULNET_ASSERT(nets->size() <= 100);
    for (const NetId& net : *nets) ULNET_ASSERT(pattern->matches(net));
  }
  return 0;
}
