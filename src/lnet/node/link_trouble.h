// Whether an NI can carry traffic, judged by the machine's interfaces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lnet/config/interfaces.h"
#include "ulnet/nid.hpp"

namespace ulnet::node {

/// Why no traffic passes an NI on this device with this NID; empty: traffic passes. Nothing: the
/// system cannot say now, for example because no descriptor is free. `listed` records from look to
/// look whether a device has ever had the address. If no device has had it (such as 127.0.0.2), the
/// function tests whether a socket can be bound to the address. This test alone proves nothing,
/// because with ip_nonlocal_bind a socket can be bound to any address.
std::optional<std::string> link_trouble(const std::vector<conf::LocalInterface>& interfaces,
                                        const std::string& device, const Nid& nid, bool& listed);

}  // namespace ulnet::node
