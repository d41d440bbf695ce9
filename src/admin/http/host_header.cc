#include "admin/http/host_header.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>

#include <cstdint>
#include <string>

#include "lnet/base/text.h"

namespace ulnet::http {

namespace {

/// Whether a text is empty, or is ":" with a number that can be a port.
bool ends_with_port(std::string_view rest) {
  constexpr std::uint32_t kPortMax = 65535;
  return rest.empty() || (rest.front() == ':' && text::number(rest.substr(1), kPortMax));
}

}  // namespace

bool names_loopback(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos || !ends_with_port(host.substr(end + 1))) return false;
    in6_addr address{};
    return ::inet_pton(AF_INET6, std::string(host.substr(1, end - 1)).c_str(), &address) == 1 &&
           IN6_IS_ADDR_LOOPBACK(&address);
  }
  const std::size_t colon = host.find(':');
  const std::string name(host.substr(0, colon));
  if (!ends_with_port(host.substr(name.size()))) return false;
  in_addr address{};
  if (::inet_pton(AF_INET, name.c_str(), &address) == 1)
    return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
  return ::strcasecmp(name.c_str(), "localhost") == 0;
}

}  // namespace ulnet::http
