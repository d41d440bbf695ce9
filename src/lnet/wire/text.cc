#include "lnet/wire/text.h"

#include <arpa/inet.h>

#include <algorithm>

namespace ulnet::wire::text {

std::optional<std::uint32_t> ip4(std::string_view word) {
  std::uint32_t address = 0;
  for (int octet = 0; octet < 4; ++octet) {
    const std::size_t dot = octet < 3 ? word.find('.') : word.size();
    if (dot == std::string_view::npos || dot > 3) return std::nullopt;
    const auto value = number(word.substr(0, dot), 255);
    if (!value) return std::nullopt;
    address = address << 8 | *value;
    word.remove_prefix(std::min(dot + 1, word.size()));
  }
  return address;
}

std::optional<std::array<std::uint8_t, 16>> ip6(std::string_view word) {
  char text[INET6_ADDRSTRLEN] = {};
  std::array<std::uint8_t, 16> address;
  if (word.empty() || word.size() >= sizeof text) return std::nullopt;
  if (word.find('\0') != std::string_view::npos) return std::nullopt;
  word.copy(text, word.size());
  if (inet_pton(AF_INET6, text, address.data()) != 1) return std::nullopt;
  return address;
}

std::string print_ip6(const std::array<std::uint8_t, 16>& address) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, address.data(), text, sizeof text);
  return text;
}

std::optional<std::uint32_t> address_number(std::string_view word) {
  const bool hex = word.starts_with("0x") || word.starts_with("0X");
  return hex ? number(word.substr(2), 0xffffffff, 16) : number(word, 0xffffffff);
}

}  // namespace ulnet::wire::text
