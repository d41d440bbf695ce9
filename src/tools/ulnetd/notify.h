// Tells systemd how far we are (sd_notify's protocol: a datagram to $NOTIFY_SOCKET). Elsewhere it
// does nothing.
#pragma once

#include <string>

namespace ulnet::tools {

/// One message, lines of NAME=VALUE: "READY=1", "STOPPING=1\nSTATUS=draining". Failure is ignored:
/// nobody listens then.
void notify_supervisor(const std::string& message);
/// "RELOADING=1" with the time that the protocol asks for.
void notify_reloading();

}  // namespace ulnet::tools
