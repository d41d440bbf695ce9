// This machine's network interfaces, for rules that choose by address and for exports that must
// come back exactly.
#pragma once

#include <vector>

#include "conf/interfaces.h"

namespace ulnet::ctl {

/// In the system's order; aliases ("eth0:0") are interfaces of their own. Link-local IPv6 addresses
/// are left out. Empty when the system does not tell.
std::vector<conf::LocalInterface> local_interfaces();

}  // namespace ulnet::ctl
