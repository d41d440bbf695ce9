#include "lnet/lnd/sock/reactor/device.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

#include "lnet/lnd/sock/reactor/sockets.h"

namespace ulnet::lnd::sock {
namespace {

/// An address of an interface. An interface without an address has one entry as well.
struct InterfaceAddress {
  std::string name;
  std::optional<Address> address;
  bool up = false;
};

std::vector<InterfaceAddress> interface_addresses() {
  std::vector<InterfaceAddress> found;
  ifaddrs* head = nullptr;
  if (getifaddrs(&head) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(head, freeifaddrs);
  for (const ifaddrs* at = head; at != nullptr; at = at->ifa_next) {
    InterfaceAddress entry{at->ifa_name, {}, (at->ifa_flags & IFF_UP) != 0};
    const int family = at->ifa_addr == nullptr ? AF_UNSPEC : at->ifa_addr->sa_family;
    if (family == AF_INET) {
      sockaddr_in in{};
      std::memcpy(&in, at->ifa_addr, sizeof in);
      std::memcpy(entry.address.emplace().bytes.data(), &in.sin_addr, 4);
    } else if (family == AF_INET6) {
      sockaddr_in6 in{};
      std::memcpy(&in, at->ifa_addr, sizeof in);
      entry.address.emplace().family = Family::kIpv6;
      std::memcpy(entry.address->bytes.data(), &in.sin6_addr, 16);
    }
    found.push_back(std::move(entry));
  }
  return found;
}

std::int64_t link_speed(const std::string& name) {
  std::ifstream file("/sys/class/net/" + name.substr(0, name.find(':')) + "/speed");
  std::int64_t mbit = 0;
  return file >> mbit && mbit > 0 ? mbit : 0;
}

Error link_local_refusal(const std::string& text) {
  return {-EINVAL, text +
                       " is a link-local address: it needs a scope (%device), which a NID cannot "
                       "carry; use a global or "
                       "unique local address"};
}

/// The device of an address that the configuration gives as text. It serves only to find the link's
/// speed: an address may be on no device, since all of 127.0.0.0/8 is this machine's.
Result<Device> device_of(const Address& address, const std::string& shown) {
  if (address.is_link_local()) return tl::unexpected(link_local_refusal(shown));
  if (address.is_any()) return fail(-EINVAL, "an NI needs one address, not the wildcard");
  if (const auto local = check_local(address); !local) return tl::unexpected(local.error());
  for (const InterfaceAddress& entry : interface_addresses())
    if (entry.address == address)
      return Device{shown.empty() ? entry.name : shown, address, link_speed(entry.name)};
  return Device{shown.empty() ? address.to_string() : shown, address, 0};
}

}  // namespace

Result<Device> find_device(const NiSpec& spec) {
  const std::string& text = spec.interface;
  if (text.empty()) {
    if (!spec.nid) return fail(-EINVAL, "neither an interface nor a NID was given");
    const auto address = address_of(*spec.nid);
    if (!address) return fail(-EINVAL, spec.nid->to_string() + " has no address of the tcp net");
    return device_of(*address, {});
  }
  if (const auto percent = text.find('%');
      percent != std::string::npos && parse_address(text.substr(0, percent)))
    return tl::unexpected(link_local_refusal(text));
  if (const auto address = parse_address(text)) return device_of(*address, text);

  bool known = false;
  bool down = false;
  const InterfaceAddress* best = nullptr;
  const Address* link_local = nullptr;
  const auto addresses = interface_addresses();
  for (const InterfaceAddress& entry : addresses) {
    if (entry.name != text) continue;
    known = true;
    if (!entry.up) {
      down = true;
      continue;
    }
    if (!entry.address) continue;
    if (entry.address->is_link_local()) {
      link_local = &*entry.address;
      continue;
    }
    const Family wanted = spec.large ? Family::kIpv6 : Family::kIpv4;
    const bool better =
        best == nullptr || (best->address->family != wanted && entry.address->family == wanted);
    if (better) best = &entry;
  }
  if (best != nullptr) return Device{text, *best->address, link_speed(text)};
  if (link_local != nullptr)  // others may come, for example from DHCP
    return fail(-ENETDOWN,
                "interface " + text + ": " + link_local_refusal(link_local->to_string()).reason);
  if (down) return fail(-ENETDOWN, "interface " + text + " is down");
  if (known) return fail(-ENETDOWN, "interface " + text + " has no address");
  return fail(-ENODEV, "there is no interface '" + text + "'");
}

unsigned hardware_interfaces() {
  unsigned count = 0;
  std::error_code error;  // set if there is no /sys; the count is 0 then
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/net", error))
    if (std::filesystem::exists(entry.path() / "device", error)) ++count;
  return count;
}

bool is_down(const Address& address) {
  for (const InterfaceAddress& entry : interface_addresses())
    if (entry.address == address) return !entry.up;
  return false;
}

}  // namespace ulnet::lnd::sock
