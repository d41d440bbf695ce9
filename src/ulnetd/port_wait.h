// Waits for the port when a node starts right after another LNet on this host, such as the
// kernel's, has stopped. The connections of that LNet have ended, but the system keeps their port
// for a minute (TIME-WAIT). No process holds the port, so the daemon waits instead of giving up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ulnet::tools {

/// TIME-WAIT of Linux has 60 s.
inline constexpr std::chrono::seconds kMaxPortWait{65};

struct PortWait {
  /// Returns the port that only ended connections hold (port_of_ended()).
  std::function<std::optional<std::uint16_t>()> look;
  /// Lets the time pass. False: the daemon must end.
  std::function<bool(std::chrono::seconds)> rest;
  /// Writes a line for the administrator.
  std::function<void(const std::string&)> say;
};
/// Returns when the wait is over, after kMaxPortWait at the latest; listening on the port then
/// fails with the reason if it is still taken. False: rest() returned false.
bool wait_for_port(const PortWait& wait);

}  // namespace ulnet::tools
