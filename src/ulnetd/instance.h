// Ensures one daemon per control socket by a lock file beside the socket, which the process holds
// as long as it runs. A socket whose lock is free is a leftover and may be replaced.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools {

/// The source of the path of the control socket.
enum class SocketOrigin : std::uint8_t { kCommandLine, kEnvironment };

class Instance {
 public:
  /// -EEXIST, whose reason says which process has the socket and what to do; -ENOTSOCK when the
  /// file is not a socket; else the system's error.
  static Result<Instance> claim(const std::string& socket_path,
                                SocketOrigin origin = SocketOrigin::kCommandLine);

  Instance(Instance&& other) noexcept;
  Instance& operator=(Instance&&) = delete;
  ~Instance();

 private:
  Instance(std::string lock_path, int lock) : lock_path_(std::move(lock_path)), lock_(lock) {}

  std::string lock_path_;
  int lock_;
};

}  // namespace ulnet::tools
