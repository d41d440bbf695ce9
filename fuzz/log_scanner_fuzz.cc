// Logs with NIDs: the counts do not depend on where the text is cut, and they fit the text.
#include <array>

#include "fgr/log/log_scanner.h"
#include "input.h"

using namespace ulnet;

namespace {

constexpr std::size_t kMaxOthers = 4;

const std::array<Nid, 2>& known() {
  static const std::array<Nid, 2> kNids = {Nid::small({NetType::kO2ib, 6002}, 0x0a0a6467),
                                           Nid::small({NetType::kGni, 1}, 750)};
  return kNids;
}

plan::LogCounts counts_of(std::string_view text, std::size_t piece) {
  plan::LogScanner scanner(known(), kMaxOthers);
  for (; text.size() > piece; text.remove_prefix(piece)) scanner.feed(text.substr(0, piece));
  scanner.feed(text);
  return scanner.finish();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses where the rest is cut.
  const std::string_view text = fuzz::text_of(data, size).substr(1);
  const plan::LogCounts whole = counts_of(text, text.size() + 1);
  const plan::LogCounts parts = counts_of(text, 1 + data[0] % 64);
  ULNET_ASSERT(whole.bytes == text.size() && whole.troubled <= whole.lines);
  ULNET_ASSERT(whole.nids.size() <= known().size() + kMaxOthers);
  ULNET_ASSERT(whole.bytes == parts.bytes && whole.lines == parts.lines);
  ULNET_ASSERT(whole.troubled == parts.troubled && whole.uncounted == parts.uncounted);
  ULNET_ASSERT(whole.nids.size() == parts.nids.size());
  for (std::size_t i = 0; i < whole.nids.size(); ++i) {
    ULNET_ASSERT(whole.nids[i].nid == parts.nids[i].nid);
    ULNET_ASSERT(whole.nids[i].all == parts.nids[i].all);
    ULNET_ASSERT(whole.nids[i].all > 0 && whole.nids[i].troubled <= whole.nids[i].all);
  }
  return 0;
}
