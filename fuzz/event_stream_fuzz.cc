// A stream of server-sent events: it gives the same events in pieces of any size, and the reader
// keeps a bounded number of bytes.
#include <vector>

#include "admin/client/event_parser.h"
#include "input.h"
#include "lnet/base/assert.h"

using namespace ulnet;

namespace {

/// The events in the text, which is fed in pieces of `size` bytes.
std::vector<std::string> events_of(std::string_view text, std::size_t size) {
  std::vector<std::string> events;
  ctl::EventParser parser;
  for (std::size_t at = 0; at < text.size(); at += size) {
    const bool more = parser.feed(text.substr(at, size), [&](const ctl::StreamedEvent& event) {
      ULNET_ASSERT(!event.kind.empty());
      ULNET_ASSERT(event.data.size() <= ctl::EventParser::kEventBytes);
      events.push_back(event.id + '\n' + event.kind + '\n' + event.data);
      return true;
    });
    ULNET_ASSERT(more == !parser.too_long());
    if (!more) break;
  }
  return events;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto whole = events_of(text, text.size() + 1);
  ULNET_ASSERT(events_of(text, 1) == whole);
  ULNET_ASSERT(events_of(text, 7) == whole);
  return 0;
}
