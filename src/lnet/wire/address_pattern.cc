// Patterns for nets and for addresses, the two parts of NID patterns.
#include <fmt/format.h>

#include "lnet/wire/nid_range.h"
#include "lnet/wire/text.h"

namespace ulnet::wire {
namespace {

constexpr std::uint8_t kIp6Size = 12;
constexpr std::uint32_t kMaxNetNumber = 0xffff;

// The text up to the next dot outside brackets.
std::string_view next_octet(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find(']') : 0;
  return text.substr(0, text.find('.', end == std::string_view::npos ? 0 : end));
}

Result<AddressPattern::Octets> parse_octets(std::string_view text) {
  AddressPattern::Octets octets;
  std::string_view rest = text;
  for (std::size_t i = 0; i < octets.octets.size(); ++i) {
    const std::string_view word = next_octet(rest);
    Result<ExprList> parsed = ExprList::parse(word, 255);
    if (!parsed) return tl::unexpected(parsed.error());
    octets.octets[i] = *std::move(parsed);
    rest.remove_prefix(word.size());
    const bool last = i + 1 == octets.octets.size();
    if (last != rest.empty()) {
      return fail(-EINVAL, fmt::format("{} is not an address of four octets", text::quoted(text)));
    }
    if (!last) rest.remove_prefix(1);
  }
  return octets;
}

Result<AddressPattern::Ip6> parse_ip6(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = text::ip6(text.substr(0, slash));
  if (!address) return fail(-EINVAL, fmt::format("{} is not an IPv6 address", text::quoted(text)));
  AddressPattern::Ip6 ip6{*address, 128};
  if (slash == std::string_view::npos) return ip6;
  const auto bits = text::number(text.substr(slash + 1), 128);
  if (!bits)
    return fail(-EINVAL, fmt::format("{}: the prefix length is 0 to 128", text::quoted(text)));
  ip6.prefix = static_cast<std::uint8_t>(*bits);
  for (unsigned bit = *bits; bit < 128; ++bit)
    ip6.address[bit / 8] = static_cast<std::uint8_t>(ip6.address[bit / 8] & ~(0x80U >> bit % 8));
  return ip6;
}

bool matches_prefix(const AddressPattern::Ip6& pattern, const Nid& nid) {
  if (nid.size != kIp6Size) return false;
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned bits = pattern.prefix > 8 * i ? pattern.prefix - 8U * i : 0;
    const unsigned mask = bits >= 8 ? 0xffU : 0xffU & ~(0xffU >> bits);
    if ((nid.addr[i] & mask) != pattern.address[i]) return false;
  }
  return true;
}

bool matches_octets(const AddressPattern::Octets& pattern, const Nid& nid) {
  if (nid.size != 0) return false;
  for (std::size_t i = 0; i < 4; ++i)
    if (!pattern.octets[i].matches(nid.addr[i])) return false;
  return true;
}

// The addresses of a pattern; the leftmost octet changes slowest.
Result<std::vector<std::uint32_t>> expand_octets(const AddressPattern::Octets& pattern,
                                                 std::size_t limit) {
  std::vector<std::uint32_t> addresses{0};
  for (const ExprList& octet : pattern.octets) {
    const auto values = octet.expand(limit);
    if (!values) return tl::unexpected(values.error());
    if (addresses.size() * values->size() > limit)
      return fail(-E2BIG, fmt::format("more than {} addresses", limit));
    std::vector<std::uint32_t> longer;
    for (const std::uint32_t head : addresses)
      for (const std::uint32_t value : *values) longer.push_back(head << 8 | value);
    addresses = std::move(longer);
  }
  return addresses;
}

}  // namespace

Result<NetPattern> NetPattern::parse(std::string_view text) {
  NetPattern pattern;
  if (text == "*") return pattern;
  const text::NetName* name = text::name_at(text);
  if (name == nullptr)
    return fail(-EINVAL, fmt::format("{} is not a network type", text::quoted(text)));
  pattern.type_ = name->type;
  pattern.numbers_ = ExprList::of(0);
  const std::string_view numbers = text.substr(name->name.size());
  if (numbers.empty()) return pattern;
  if (name->form == text::Form::kNothing) return fail(-EINVAL, "lo has no number");
  Result<ExprList> parsed = ExprList::parse(numbers, kMaxNetNumber);
  if (!parsed) return tl::unexpected(parsed.error());
  pattern.numbers_ = *std::move(parsed);
  return pattern;
}

bool NetPattern::matches(NetId net) const {
  return is_all() || (type_ == net.type && numbers_.matches(net.num));
}

Result<std::vector<NetId>> NetPattern::expand(std::size_t limit) const {
  const auto numbers = numbers_.expand(limit);
  if (!numbers) return tl::unexpected(numbers.error());
  std::vector<NetId> nets;
  for (const std::uint32_t number : *numbers)
    nets.push_back({type_, static_cast<std::uint16_t>(number)});
  return nets;
}

std::string NetPattern::to_string() const {
  if (is_all()) return "*";
  const std::string name(text::name_of(type_)->name);
  return numbers_ == ExprList::of(0) ? name : name + numbers_.to_string();
}

Result<AddressPattern> AddressPattern::parse(std::string_view text, NetType type) {
  if (text.empty()) return fail(-EINVAL, "the address is missing");
  AddressPattern pattern;
  if (text == "*") return pattern;
  const text::NetName* name = text::name_of(type);
  if (name == nullptr) return fail(-EINVAL, "only '*' fits every kind of net");
  if (name->form == text::Form::kNothing) {
    pattern.kind_ = Number{ExprList::of(0)};
    return pattern;
  }
  if (name->form == text::Form::kNumber) {
    if (const auto number = text::address_number(text)) {
      pattern.kind_ = Number{ExprList::of(*number)};
      return pattern;
    }
    Result<ExprList> values = ExprList::parse(text, 0xffffffff);
    if (!values) return tl::unexpected(values.error());
    pattern.kind_ = Number{*std::move(values)};
    return pattern;
  }
  if (name->form == text::Form::kIp4 && text.find(':') != std::string_view::npos) {
    return fail(-EINVAL, fmt::format("{}: this net has IPv4 addresses", text::quoted(text)));
  }
  return parse_ip(text);
}

Result<AddressPattern> AddressPattern::parse_ip(std::string_view text) {
  AddressPattern pattern;
  if (text.find(':') != std::string_view::npos) {
    const Result<Ip6> ip6 = parse_ip6(text);
    if (!ip6) return tl::unexpected(ip6.error());
    pattern.kind_ = *ip6;
    return pattern;
  }
  Result<Octets> octets = parse_octets(text);
  if (!octets) return tl::unexpected(octets.error());
  pattern.kind_ = *std::move(octets);
  return pattern;
}

bool AddressPattern::matches(const Nid& nid) const {
  if (const auto* octets = std::get_if<Octets>(&kind_)) return matches_octets(*octets, nid);
  if (const auto* ip6 = std::get_if<Ip6>(&kind_)) return matches_prefix(*ip6, nid);
  if (const auto* number = std::get_if<Number>(&kind_))
    return nid.size == 0 && number->values.matches(nid.address4());
  return true;
}

Result<std::vector<Nid>> AddressPattern::expand(NetId net, std::size_t limit) const {
  if (is_any()) return fail(-EINVAL, "'*' does not name single addresses");
  if (const auto* ip6 = std::get_if<Ip6>(&kind_)) {
    if (ip6->prefix != 128)
      return fail(-EINVAL, fmt::format("{} is a prefix, not an address", to_string()));
    if (limit == 0) return fail(-E2BIG, "more than 0 addresses");
    return std::vector<Nid>{Nid::large(net, ip6->address)};
  }
  const auto* number = std::get_if<Number>(&kind_);
  const auto addresses = number != nullptr ? number->values.expand(limit)
                                           : expand_octets(*std::get_if<Octets>(&kind_), limit);
  if (!addresses) return tl::unexpected(addresses.error());
  std::vector<Nid> nids;
  for (const std::uint32_t address : *addresses) nids.push_back(Nid::small(net, address));
  return nids;
}

std::string AddressPattern::to_string() const {
  if (const auto* octets = std::get_if<Octets>(&kind_)) {
    const auto& o = octets->octets;
    return fmt::format("{}.{}.{}.{}", o[0].to_string(), o[1].to_string(), o[2].to_string(),
                       o[3].to_string());
  }
  if (const auto* ip6 = std::get_if<Ip6>(&kind_)) {
    const std::string address = text::print_ip6(ip6->address);
    return ip6->prefix == 128 ? address : fmt::format("{}/{}", address, ip6->prefix);
  }
  if (const auto* number = std::get_if<Number>(&kind_)) return number->values.to_string();
  return "*";
}

}  // namespace ulnet::wire
