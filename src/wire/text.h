// Small pieces of text parsing that NIDs, nets and patterns share. Not for other rooms.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ulnet/nid.hpp"

namespace ulnet::wire::text {

/// All of `word` as an unsigned number of this base: digits only, at most `max`.
inline std::optional<std::uint32_t> number(std::string_view word, std::uint32_t max,
                                           int base = 10) {
  std::uint32_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value, base);
  if (word.empty() || error != std::errc{} || stop != end || value > max) return std::nullopt;
  return value;
}

inline std::string_view trim(std::string_view word) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = word.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return word.substr(begin, word.find_last_not_of(kBlank) - begin + 1);
}

/// How nets of a type write addresses (spec/wire-lnet.md 1.5).
enum class Form : std::uint8_t {
  kIp,       ///< dotted quad or IPv6
  kIp4,      ///< dotted quad
  kNumber,   ///< decimal, or hex with 0x
  kNothing,  ///< always 0
};

struct NetName {
  std::string_view name;
  NetType type;
  Form form;
};
/// The types with a name, in the order in which prefixes are tried.
inline constexpr NetName kNetNames[] = {
    {"lo", NetType::kLo, Form::kNothing},      {"tcp", NetType::kTcp, Form::kIp},
    {"o2ib", NetType::kO2ib, Form::kIp},       {"gni", NetType::kGni, Form::kNumber},
    {"gip", NetType::kGip, Form::kIp4},        {"ptlf", NetType::kPtlf, Form::kNumber},
    {"kfi", NetType::kKfi, Form::kNumber},     {"efa", NetType::kEfa, Form::kIp},
    {"bxi3f", NetType::kBxi3f, Form::kNumber}, {"mpi", NetType::kMpi, Form::kNumber},
    {"up", NetType::kUp, Form::kNumber},       {"shm", NetType::kShm, Form::kNumber},
};

/// Null when the type has no name.
inline const NetName* name_of(NetType type) {
  for (const NetName& entry : kNetNames)
    if (entry.type == type) return &entry;
  return nullptr;
}
/// The type whose name `text` begins with; null when there is none.
inline const NetName* name_at(std::string_view text) {
  for (const NetName& entry : kNetNames)
    if (text.starts_with(entry.name)) return &entry;
  return nullptr;
}

/// For reasons: the word in quotes, cut when it is long, what cannot be printed as '?'.
std::string quoted(std::string_view word);

/// All of `word` as four dotted numbers 0 to 255, in host value.
std::optional<std::uint32_t> ip4(std::string_view word);
/// All of `word` as an IPv6 literal, without scope.
std::optional<std::array<std::uint8_t, 16>> ip6(std::string_view word);
std::string print_ip6(const std::array<std::uint8_t, 16>& address);
/// Decimal, or hexadecimal with 0x.
std::optional<std::uint32_t> address_number(std::string_view word);

}  // namespace ulnet::wire::text
