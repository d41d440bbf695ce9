// The lock file beside a daemon's control socket ("a.sock.lock"): the daemon holds it as long as it
// lives, and takes it before its socket is there. Its text is the daemon's pid.
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
/// when nobody holds it. The lock is looked at and never taken: a daemon that wants it at the same
/// time gets it.
std::optional<pid_t> holder_of(const std::string& socket_path);

}  // namespace ulnet::machine
