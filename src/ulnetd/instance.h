// Ensures one daemon per control socket by a lock file beside the socket, which the process holds
// as long as it runs. A socket whose lock is free is a leftover and may be replaced.
#pragma once

#include <cstdint>
#include <string>

#include "lnet/os/socket_lock.h"
#include "ulnet/result.hpp"

namespace ulnet::tools {

/// The source of the path of the control socket.
enum class SocketOrigin : std::uint8_t { kCommandLine, kEnvironment };

/// Takes the lock of a control socket. -EEXIST, whose reason says which process has the socket and
/// what to do; -ENOTSOCK when the file is not a socket; else the system's error.
Result<machine::LockFile> claim_socket(const std::string& socket_path,
                                       SocketOrigin origin = SocketOrigin::kCommandLine);

}  // namespace ulnet::tools
