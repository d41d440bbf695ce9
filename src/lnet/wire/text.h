// Text parsing that NIDs, nets and patterns share. Only for src/lnet/wire.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lnet/base/text.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire::text {

using ulnet::text::number;
using ulnet::text::quoted;
using ulnet::text::trim;

/// The text form of addresses on nets of a type (spec/wire-lnet.md 1.5).
enum class Form : std::uint8_t {
  kIp,       ///< IPv4 as a dotted quad, or IPv6
  kIp4,      ///< IPv4 as a dotted quad
  kNumber,   ///< a number, decimal, or hexadecimal with 0x
  kNothing,  ///< always 0
};

struct NetName {
  std::string_view name;
  NetType type;
  Form form;
};
/// The types that have a name, in the order in which a parser tries the names.
inline constexpr NetName kNetNames[] = {
    {"lo", NetType::kLo, Form::kNothing},      {"tcp", NetType::kTcp, Form::kIp},
    {"o2ib", NetType::kO2ib, Form::kIp},       {"gni", NetType::kGni, Form::kNumber},
    {"gip", NetType::kGip, Form::kIp4},        {"ptlf", NetType::kPtlf, Form::kNumber},
    {"kfi", NetType::kKfi, Form::kNumber},     {"efa", NetType::kEfa, Form::kIp},
    {"bxi3f", NetType::kBxi3f, Form::kNumber}, {"mpi", NetType::kMpi, Form::kNumber},
    {"up", NetType::kUp, Form::kNumber},       {"shm", NetType::kShm, Form::kNumber},
};

/// The entry of a type; null if the type has no name.
inline const NetName* name_of(NetType type) {
  for (const NetName& entry : kNetNames)
    if (entry.type == type) return &entry;
  return nullptr;
}
/// The entry with whose name `text` begins; null if no entry fits.
inline const NetName* name_at(std::string_view text) {
  for (const NetName& entry : kNetNames)
    if (text.starts_with(entry.name)) return &entry;
  return nullptr;
}

/// The whole of `word` as four dotted numbers 0 to 255; the result is a host integer.
std::optional<std::uint32_t> ip4(std::string_view word);
/// The whole of `word` as an IPv6 address without a scope.
std::optional<std::array<std::uint8_t, 16>> ip6(std::string_view word);
std::string print_ip6(const std::array<std::uint8_t, 16>& address);
/// The whole of `word` as a number, decimal, or hexadecimal with 0x.
std::optional<std::uint32_t> address_number(std::string_view word);

}  // namespace ulnet::wire::text
