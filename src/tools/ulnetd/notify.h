// Tells systemd the daemon's state (sd_notify's protocol: a datagram to $NOTIFY_SOCKET). Does
// nothing without that variable.
#pragma once

#include <string>

namespace ulnet::tools {

/// Sends one message, lines of NAME=VALUE: "READY=1", "STOPPING=1\nSTATUS=draining". Errors are
/// ignored.
void notify_supervisor(const std::string& message);
/// Sends "RELOADING=1" with the time that the protocol wants.
void notify_reloading();

}  // namespace ulnet::tools
