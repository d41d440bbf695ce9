#include "lab/topology/addresses.h"

#include <fmt/format.h>

#include <vector>

#include "lnet/base/assert.h"
#include "lnet/base/text.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kAddresses = 1U << 16;
constexpr std::uint32_t kInBlock = kBlock - 2;  // without 0 and 255

bool is_loopback(std::uint32_t address) { return address >> 24 == 127; }

/// Returns the address of the n-th NI of the net whose block begins at `first`.
constexpr std::uint32_t nth_of(std::uint32_t first, std::uint32_t n) {
  return first + n / kInBlock * kBlock + n % kInBlock + 1;
}

Result<void> check_each(const Topology& topology, bool loopback, std::string_view why) {
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails)
      if (is_loopback(rail.address) != loopback)
        return fail(-EINVAL,
                    fmt::format("{}: address {} {}", node.name, address_text(rail.address), why));
  return {};
}

}  // namespace

std::string address_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

Result<std::uint32_t> parse_address(std::string_view text) {
  const auto wrong = fail(-EINVAL, text::quoted(text) + " is not an address like 10.1.0.1");
  std::uint32_t address = 0;
  std::string_view rest = text;
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = part < 3 ? rest.find('.') : rest.size();
    if (dot == std::string_view::npos) return wrong;
    const auto number = text::number(rest.substr(0, dot), 255);
    if (!number) return wrong;
    address = address << 8 | *number;
    rest.remove_prefix(part < 3 ? dot + 1 : dot);
  }
  return address;
}

Result<void> give_addresses(Topology& topology, std::uint32_t base) {
  ULNET_ASSERT(base % kAddresses == 0);
  if (topology.addresses_given) return {};
  std::vector<std::uint32_t> counts(topology.nets.size());
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails)
      if (!rail.shares) ++counts[rail.net];
  std::vector<std::uint32_t> firsts;
  std::uint32_t blocks = 0;
  for (const std::uint32_t count : counts) {
    firsts.push_back(base + blocks * kBlock);
    blocks += (count + kInBlock - 1) / kInBlock;
    if (blocks > kAddresses / kBlock)
      return fail(-E2BIG, "too many nets or rails: they need more than 256 blocks of addresses");
  }
  std::vector<std::uint32_t> given(topology.nets.size());
  for (Node& node : topology.nodes)
    for (Rail& rail : node.rails)
      rail.address = rail.shares ? node.rails[*rail.shares].address
                                 : nth_of(firsts[rail.net], given[rail.net]++);
  return {};
}

Result<void> fit_loopback(const Topology& topology) {
  if (!topology.addresses_given) return {};
  return check_each(topology, true, "is not in 127.0.0.0/8, as those on loopback must be");
}

Result<void> fit_namespaces(const Topology& topology) {
  if (!topology.addresses_given) return {};
  return check_each(topology, false, "is in 127.0.0.0/8, which stays inside a namespace");
}

}  // namespace ulnet::tools::lab
