// This machine's network interfaces, for rules that choose by address and for exports that must
// give the same NIDs again.
#pragma once

#include <vector>

#include "conf/interfaces.h"

namespace ulnet::ctl {

/// In the system's order; aliases ("eth0:0") are interfaces of their own. Link-local IPv6
/// addresses are left out. Empty when the system does not list them.
std::vector<conf::LocalInterface> local_interfaces();

}  // namespace ulnet::ctl
