// One daemon per control socket: a lock file beside it, held as long as the process lives, says
// whose the socket is. A socket file whose lock is free is a leftover and may be replaced.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools {

/// Who said where the control socket is.
enum class SocketOrigin : std::uint8_t { kCommandLine, kEnvironment };

class Instance {
 public:
  /// -EEXIST with who runs there and what to do about it; -ENOTSOCK for a file that is no socket;
  /// else the system's error.
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
