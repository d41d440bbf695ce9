// A node that starts right after another LNet has stopped on this host, the kernel's for example:
// that one's connections have ended, and the system keeps their port for a minute (TIME-WAIT). No
// process holds it, so the daemon waits instead of giving up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ulnet::tools {

/// TIME-WAIT of Linux has 60 s.
inline constexpr std::chrono::seconds kPortWaitMost{65};

struct PortWait {
  /// The port that only connections which have ended hold (port_of_ended()).
  std::function<std::optional<std::uint16_t>()> look;
  /// Lets the time pass. False: the daemon is to end.
  std::function<bool(std::chrono::seconds)> rest;
  /// Tells the administrator.
  std::function<void(const std::string&)> say;
};
/// Returns when nothing is to be waited for any more, after kPortWaitMost at the latest: whoever
/// listens then is told why it does not work. False: rest() said so.
bool wait_for_port(const PortWait& wait);

}  // namespace ulnet::tools
