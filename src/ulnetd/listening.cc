#include "ulnetd/listening.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <istream>
#include <sstream>
#include <string_view>
#include <vector>

namespace ulnet::tools {

namespace {

using Address = std::array<std::uint8_t, 16>;

/// An IPv4 address in IPv6: ::ffff:a.b.c.d.
Address mapped(const std::uint8_t* address4) {
  Address all{};
  all[10] = all[11] = 0xff;
  std::memcpy(all.data() + 12, address4, 4);
  return all;
}

Address address_of(const Nid& nid) { return nid.is_small() ? mapped(nid.addr.data()) : nid.addr; }

/// Parses an address of the table: hexadecimal words of 32 bits in this machine's byte order.
Address address_of(const std::string& text) {
  Address all{};
  for (std::size_t word = 0; word * 8 + 8 <= text.size() && word < 4; ++word) {
    const auto number =
        static_cast<std::uint32_t>(std::strtoul(text.substr(word * 8, 8).c_str(), nullptr, 16));
    std::memcpy(all.data() + word * 4, &number, sizeof number);
  }
  return text.size() > 8 ? all : mapped(all.data());
}

bool is_every_address(const Address& address) {
  const Address every4 = mapped(Address{}.data());
  return address == Address{} || address == every4;
}

}  // namespace

void add_use(PortUse& use, std::istream& table, std::span<const Nid> addresses,
             std::uint16_t port) {
  constexpr std::string_view kListening = "0A";
  // FIN-WAIT-1, FIN-WAIT-2, TIME-WAIT, LAST-ACK, CLOSING: these connections end by themselves.
  constexpr auto kEnded = std::to_array<std::string_view>({"04", "05", "06", "09", "0B"});
  std::string line;
  std::getline(table, line);  // the titles
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::vector<std::string> word;
    for (std::string one; words >> one;) word.push_back(one);
    if (word.size() < 10) continue;
    const bool listens = word[3] == kListening;
    if (!listens && std::ranges::find(kEnded, word[3]) == kEnded.end()) continue;
    const std::size_t colon = std::min(word[1].rfind(':'), word[1].size());
    if (colon == word[1].size() || std::strtoul(word[1].c_str() + colon + 1, nullptr, 16) != port)
      continue;
    const Address local = address_of(word[1].substr(0, colon));
    const bool wanted = addresses.empty() || is_every_address(local) ||
                        std::any_of(addresses.begin(), addresses.end(),
                                    [&](const Nid& nid) { return address_of(nid) == local; });
    if (!wanted) continue;
    if (listens)
      use.listening.insert(word[9]);
    else
      use.ended = true;
  }
}

}  // namespace ulnet::tools
