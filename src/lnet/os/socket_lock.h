// The lock file beside a daemon's control socket ("a.sock.lock"): the daemon takes it before its
// socket exists, and holds it as long as it runs. Its text is the daemon's pid.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace ulnet::machine {

/// The lock file of a control socket.
std::string lock_of(const std::string& socket_path);

/// Locks an open file for this descriptor. False when another process has the lock.
bool lock_file(int descriptor);

/// The process that holds the lock of a control socket; 0 when its pid is not in the file. Nothing
/// when no process holds it. The function only looks at the lock and never takes it, so a daemon
/// that wants it at the same time gets it.
std::optional<pid_t> holder_of(const std::string& socket_path);

}  // namespace ulnet::machine
