// Whether an NI can carry traffic, as far as the machine's interfaces say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lnet/config/interfaces.h"
#include "ulnet/nid.hpp"

namespace ulnet::node {

/// Why no traffic passes an NI on this device with this NID; empty: it passes. Nothing: the
/// system cannot say now, for example because no descriptor is free. `listed` is kept from look to
/// look: whether a device has ever had the address. Where it has not, as with 127.0.0.2, it counts
/// whether a socket can have it; that alone is no proof, for with ip_nonlocal_bind one always can.
std::optional<std::string> link_trouble(const std::vector<conf::LocalInterface>& interfaces,
                                        const std::string& device, const Nid& nid, bool& listed);

}  // namespace ulnet::node
