// Small pieces of text parsing that NIDs, nets and patterns share. Not for other rooms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire::text {

using ulnet::text::number;
using ulnet::text::quoted;
using ulnet::text::trim;

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

/// All of `word` as four dotted numbers 0 to 255, in host value.
std::optional<std::uint32_t> ip4(std::string_view word);
/// All of `word` as an IPv6 literal, without scope.
std::optional<std::array<std::uint8_t, 16>> ip6(std::string_view word);
std::string print_ip6(const std::array<std::uint8_t, 16>& address);
/// Decimal, or hexadecimal with 0x.
std::optional<std::uint32_t> address_number(std::string_view word);

}  // namespace ulnet::wire::text
