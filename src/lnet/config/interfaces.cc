#include "lnet/config/interfaces.h"

#include <algorithm>

namespace ulnet::conf {

Nid on_net(Nid address, NetId net) {
  address.type = static_cast<std::uint8_t>(net.type);
  address.num_be = {static_cast<std::uint8_t>(net.num >> 8), static_cast<std::uint8_t>(net.num)};
  return address;
}

bool selectable(const LocalInterface& interface) { return interface.up && !interface.loopback; }

const LocalInterface* first_usable(std::span<const LocalInterface> interfaces) {
  const auto usable = [](const LocalInterface& i) {
    const auto small = [](const Nid& address) { return address.is_small(); };
    return selectable(i) && std::any_of(i.addresses.begin(), i.addresses.end(), small);
  };
  const auto at = std::find_if(interfaces.begin(), interfaces.end(), usable);
  return at == interfaces.end() ? nullptr : &*at;
}

NiItem settle(NiItem item, std::span<const LocalInterface> interfaces) {
  if (item.interface.empty() || !item.nid) return item;
  const Nid address = on_net(*item.nid, {NetType::kTcp, 0});
  const auto here = [&](const LocalInterface& i) {
    return i.name == item.interface &&
           std::find(i.addresses.begin(), i.addresses.end(), address) != i.addresses.end();
  };
  if (std::any_of(interfaces.begin(), interfaces.end(), here))
    item.interface.clear();
  else
    item.nid.reset();
  return item;
}

}  // namespace ulnet::conf
