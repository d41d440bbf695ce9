#include "fgr/check/covering.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/base/text.h"

namespace ulnet::plan {
namespace {

constexpr std::size_t kOctets = 4;
constexpr std::size_t kMaxPieces = 256;

/// A set of addresses: each octet is in its own set of values.
using Box = std::array<std::bitset<256>, kOctets>;

/// Returns the addresses that the pattern matches; nothing if it is not an IPv4 pattern.
std::optional<Box> box_of(const wire::AddressPattern& pattern) {
  const std::string text = pattern.to_string();
  Box box;
  std::size_t octet = 0, begin = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']' && depth > 0) --depth;
    if (i < text.size() && (text[i] != '.' || depth > 0)) continue;
    if (octet == kOctets) return std::nullopt;
    const auto list = ExprList::parse(std::string_view(text).substr(begin, i - begin), 255);
    if (!list) return std::nullopt;
    for (std::uint32_t value = 0; value < 256; ++value)
      if (list->matches(value)) box[octet].set(value);
    ++octet;
    begin = i + 1;
  }
  if (octet != kOctets) return std::nullopt;
  return box;
}

bool empty(const Box& box) {
  for (const auto& octet : box)
    if (octet.none()) return true;
  return false;
}

/// Adds the part of `from` that is outside `cut` to `rest`, in pieces that do not overlap.
void subtract(Box from, const Box& cut, std::vector<Box>& rest) {
  for (std::size_t i = 0; i < kOctets; ++i) {
    Box outside = from;
    outside[i] &= ~cut[i];
    if (!empty(outside)) rest.push_back(outside);
    from[i] &= cut[i];
    if (from[i].none()) return;
  }
}

bool overlap(Box one, const Box& other) {
  for (std::size_t i = 0; i < kOctets; ++i) one[i] &= other[i];
  return !empty(one);
}

struct Prefix {
  Nid address;
  std::uint32_t bits = 128;
};
std::optional<Prefix> prefix_of(const wire::AddressPattern& pattern) {
  const std::string text = pattern.to_string();
  if (text.find(':') == std::string::npos) return std::nullopt;
  const std::size_t slash = text.find('/');
  const auto nid = Nid::parse(text.substr(0, slash) + "@tcp");
  if (!nid) return std::nullopt;
  if (slash == std::string::npos) return Prefix{*nid};
  return Prefix{*nid, text::number(text.substr(slash + 1), 128).value_or(128)};
}

Covering covering_of_prefix(std::span<const wire::AddressPattern> patterns, const Prefix& wanted,
                            const wire::AddressPattern& wanted_pattern) {
  Covering covering = Covering::kNone;
  for (const wire::AddressPattern& pattern : patterns) {
    const auto prefix = prefix_of(pattern);
    if (!prefix) continue;
    if (prefix->bits <= wanted.bits && pattern.matches(wanted.address)) return Covering::kAll;
    if (wanted_pattern.matches(prefix->address)) covering = Covering::kSome;
  }
  return covering;
}

}  // namespace

Covering covering_of(std::span<const wire::AddressPattern> patterns,
                     const wire::AddressPattern& wanted) {
  if (const auto prefix = prefix_of(wanted)) return covering_of_prefix(patterns, *prefix, wanted);
  const auto whole = box_of(wanted);
  if (!whole) return Covering::kNone;
  std::vector<Box> left = {*whole};
  bool some = false;
  for (const wire::AddressPattern& pattern : patterns) {
    const auto cut = box_of(pattern);
    if (!cut || !overlap(*whole, *cut)) continue;
    some = true;
    std::vector<Box> rest;
    for (const Box& piece : left) subtract(piece, *cut, rest);
    left = std::move(rest);
    if (left.empty() || left.size() > kMaxPieces) return Covering::kAll;
  }
  return some ? Covering::kSome : Covering::kNone;
}

}  // namespace ulnet::plan
