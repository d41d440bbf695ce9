// The machine's network interfaces as plain values. The rooms node and ctl read them from the
// system; the functions here decide without touching the machine. Source: spec/cli-lnetctl.md
// 5.4, 9.3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lnet/config/model.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::conf {

struct LocalInterface {
  std::string name;  ///< "eth0"; an alias "eth0:0" is an interface of its own
  bool up = true;
  bool loopback = false;
  std::vector<Nid> addresses;  ///< in the system's order, written as NIDs on net tcp
};

/// The same address on another net.
Nid on_net(Nid address, NetId net);

/// Whether a pattern or a default may choose it: it is up, and no loopback. LNet uses a loopback
/// interface only where it is named.
bool selectable(const LocalInterface& interface);

/// The first interface that is up, not a loopback and has an IPv4 address: what `networks=tcp` and
/// an ip2nets rule without criteria mean. Null when there is none.
const LocalInterface* first_usable(std::span<const LocalInterface> interfaces);

/// An item of a file may carry both an interface and the NID that it had (exports do). The NID is
/// kept if its address is one of that interface's on this machine, otherwise the interface is.
/// The result names exactly one of the two.
NiItem settle(NiItem item, std::span<const LocalInterface> interfaces);

}  // namespace ulnet::conf
