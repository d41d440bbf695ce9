// From the text that names an interface to its address and link. Source: spec/wire-socklnd.md
// 2, 5.1; DESIGN.md 5.
#pragma once

#include <string>

#include "lnd/lnd.h"
#include "lnd/sock/address.h"

namespace ulnet::lnd::sock {

struct Device {
  std::string name;  ///< as `net show` prints it: the device, or the address that was given
  Address address;
  std::int64_t mbit_per_s = 0;  ///< 0: unknown
};

/// Takes a device name ("eth0"), an alias ("eth0:0"), an address, or the NID of `spec`. Refused
/// with the reason: unknown or down devices, addresses that are not this machine's, link-local IPv6
/// (a NID has no scope).
Result<Device> find_device(const NiSpec& spec);

/// How many of the machine's network interfaces are hardware.
unsigned hardware_interfaces();

/// The address is one of an interface that is down. False also for addresses that are on none.
bool is_down(const Address& address);

}  // namespace ulnet::lnd::sock
