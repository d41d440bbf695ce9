// Notifies the processes that wait for the daemon of its state: systemd (sd_notify's protocol: a
// datagram to $NOTIFY_SOCKET, if that variable is set), and the process that was started with
// --background.
#pragma once

#include <string>

namespace ulnet::tools {

/// Sends one message, lines of NAME=VALUE: "READY=1", "STOPPING=1\nSTATUS=draining". Errors are
/// ignored.
void notify_supervisor(const std::string& message);
/// From now on the same messages go to this descriptor too. It is closed after the first message
/// with READY=1; then the standard streams are closed as well (they lead to /dev/null). Call this
/// before any thread starts.
void notify_starter(int descriptor);
/// Sends "RELOADING=1" with the time that the protocol requires.
void notify_reloading();

}  // namespace ulnet::tools
