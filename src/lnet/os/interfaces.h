// The machine's network interfaces, read from the operating system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lnet/config/interfaces.h"

namespace ulnet::machine {

/// Every interface with its addresses in the system's order; an alias label ("eth0:0") is an
/// interface of its own. Link-local IPv6 addresses are left out: they cannot be a NID.
std::vector<conf::LocalInterface> local_interfaces();

/// The device that has this address ("eth0"); "lo" for 127.0.0.0/8; empty when no device has it.
std::string device_of(const Nid& nid);
/// The same for an interface as an administrator names it: a device, an alias, or an address.
std::string device_of(const std::string& interface);

/// Where Linux describes its network devices.
inline constexpr const char* kNetDevices = "/sys/class/net";
/// The NUMA node to which a device is attached; nothing when the system does not say or the device
/// is not hardware.
std::optional<std::uint32_t> numa_node_of(const std::string& device,
                                          const std::string& devices = kNetDevices);

/// The speed of a device's link in Mbit/s; nothing when the system does not say, as for a link that
/// is down or a device without a speed.
std::optional<std::uint32_t> link_speed_of(const std::string& device,
                                           const std::string& devices = kNetDevices);

}  // namespace ulnet::machine
