// The machine's network interfaces as plain values. The node and ulnetctl read them from the
// system. The functions here do not access the machine. Source: spec/cli-lnetctl.md 5.4, 9.3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lnet/config/model.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::conf {

struct LocalInterface {
  std::string name;  ///< "eth0"; an alias "eth0:0" is a separate interface
  bool up = true;
  bool loopback = false;
  std::vector<Nid> addresses;  ///< in the system's order, written as NIDs on net tcp
};

/// The same address on another net.
Nid on_net(Nid address, NetId net);

/// Whether a pattern or a default may choose the interface: it is up, and no loopback. LNet uses a
/// loopback interface only if its name is given.
bool selectable(const LocalInterface& interface);

/// The first interface that is up, not a loopback and has an IPv4 address: the one that
/// `networks=tcp` and an ip2nets rule without criteria use. Null: no such interface.
const LocalInterface* first_usable(std::span<const LocalInterface> interfaces);

/// An item of a file may carry both an interface and the NID that it had (exports do). If that
/// interface has the NID's address on this machine, the result has the NID only, otherwise the
/// interface only.
NiItem settle(NiItem item, std::span<const LocalInterface> interfaces);

}  // namespace ulnet::conf
