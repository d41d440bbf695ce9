// Expression lists, NID patterns and lists of them: what parses prints and parses to the same
// value, what a pattern expands to matches it, and no expansion exceeds its limit.
#include "input.h"
#include "lnet/wire/nid_range.h"

using namespace ulnet;

namespace {

constexpr std::size_t kLimit = 200;

void check_expr_list(std::string_view text) {
  const auto list = ExprList::parse(text, 65535);
  if (!list) return;
  ULNET_ASSERT(ExprList::parse(list->to_string(), 65535).value() == *list);
  const auto values = list->expand(kLimit);
  if (!values) return;
  ULNET_ASSERT(values->size() <= kLimit);
  for (const std::uint32_t value : *values) ULNET_ASSERT(list->matches(value));
}

void check_pattern(std::string_view text) {
  const auto pattern = wire::NidPattern::parse(text);
  if (!pattern) return;
  ULNET_ASSERT(wire::NidPattern::parse(pattern->to_string()).value() == *pattern);
  const auto nids = pattern->expand(kLimit);
  if (!nids) return;
  ULNET_ASSERT(nids->size() <= kLimit);
  for (const Nid& nid : *nids) ULNET_ASSERT(pattern->matches(nid));
}

void check_list(std::string_view text) {
  if (const auto words = wire::split_list(text)) {
    std::size_t characters = 0;
    for (const std::string_view word : *words) characters += word.size();
    ULNET_ASSERT(characters <= text.size());
  }
  const auto nids = wire::expand_nids(text, kLimit);
  if (!nids) return;
  const auto patterns = wire::parse_nid_patterns(text).value();
  for (const Nid& nid : *nids) {
    ULNET_ASSERT(!nid.is_any() && !nid.is_loopback());
    bool matched = false;
    for (const auto& pattern : patterns) matched |= pattern.matches(nid);
    ULNET_ASSERT(matched);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_expr_list(text);
  check_pattern(text);
  check_list(text);
  if (const auto address = wire::AddressPattern::parse_ip(text))
    ULNET_ASSERT(wire::AddressPattern::parse_ip(address->to_string()).value() == *address);
  return 0;
}
