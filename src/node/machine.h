// The machine's network interfaces, read from the operating system.
#pragma once

#include <string>
#include <vector>

#include "conf/interfaces.h"

namespace ulnet::node {

/// Every interface with its addresses in the system's order; an alias label ("eth0:0") is an
/// interface of its own. Link-local IPv6 addresses are left out: they cannot be a NID.
std::vector<conf::LocalInterface> local_interfaces();

/// The device that has this address ("eth0"); "lo" for 127.0.0.0/8; empty when no device has it.
std::string device_of(const Nid& nid);

}  // namespace ulnet::node
