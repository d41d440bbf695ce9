// Tells the daemon's state to who waits for it: systemd (sd_notify's protocol: a datagram to
// $NOTIFY_SOCKET, if that variable is set), and the process that was started with --background.
#pragma once

#include <string>

namespace ulnet::tools {

/// Sends one message, lines of NAME=VALUE: "READY=1", "STOPPING=1\nSTATUS=draining". Errors are
/// ignored.
void notify_supervisor(const std::string& message);
/// From now on the same messages go to this descriptor too, which is closed after the first one
/// that has READY=1; then the standard streams are closed as well (they lead to /dev/null). Before
/// any thread is started.
void notify_starter(int descriptor);
/// Sends "RELOADING=1" with the time that the protocol wants.
void notify_reloading();

}  // namespace ulnet::tools
