#include "lnet/node/link_trouble.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lnet/node/runtime/drivers.h"

namespace ulnet::node {

std::optional<std::string> link_trouble(const std::vector<conf::LocalInterface>& interfaces,
                                        const std::string& device, const Nid& nid, bool& listed) {
  if (interfaces.empty()) return std::nullopt;  // `lo` always exists: so the reading failed
  if (!device.empty()) {
    const auto at = std::find_if(interfaces.begin(), interfaces.end(),
                                 [&](const auto& each) { return each.name == device; });
    if (at == interfaces.end()) return "there is no device " + device + " any more";
    if (!at->up) return "link " + device + " is down";
  }
  const DriverRow* driver = find_driver(nid.net().type);
  if (driver == nullptr || driver->check_address == nullptr) return "";
  const Nid address = conf::on_net(nid, {NetType::kTcp, 0});
  const bool there = std::any_of(interfaces.begin(), interfaces.end(), [&](const auto& each) {
    return std::find(each.addresses.begin(), each.addresses.end(), address) != each.addresses.end();
  });
  if (std::exchange(listed, listed || there) && !there) return "its address is gone";
  const auto local = driver->check_address(nid);
  if (local) return "";
  if (local.error().code != -EADDRNOTAVAIL) return std::nullopt;
  return "its address is gone";
}

}  // namespace ulnet::node
