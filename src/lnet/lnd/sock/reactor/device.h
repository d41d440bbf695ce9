// From the text that names an interface to its address and link speed. Source:
// spec/wire-socklnd.md 2, 5.1; DESIGN.md 5.
#pragma once

#include <string>

#include "lnet/lnd/lnd.h"
#include "lnet/lnd/sock/engine/address.h"

namespace ulnet::lnd::sock {

struct Device {
  std::string name;  ///< as `net show` prints it: the device, or the address that was configured
  Address address;
  std::int64_t mbit_per_s = 0;  ///< the link's speed; 0: unknown
};

/// Finds the interface of `spec`: a device name ("eth0"), an alias ("eth0:0"), an address, or the
/// address of spec.nid. -ENODEV: no such device. -ENETDOWN: it is down. -EADDRNOTAVAIL: it has no
/// address, or the address is not this machine's. -EINVAL: the wildcard; a link-local IPv6
/// address (a NID has no scope); neither text nor NID.
Result<Device> find_device(const NiSpec& spec);

/// How many of the machine's network interfaces are hardware; 0 without /sys.
unsigned hardware_interfaces();

/// True if the address belongs to an interface that is down. False also if no interface has it.
bool is_down(const Address& address);

}  // namespace ulnet::lnd::sock
