// Lock files. The one beside a daemon's control socket ("a.sock.lock") is taken before the socket
// exists, and held as long as the daemon runs. The text of a lock file is the pid of its holder.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::machine {

/// The lock file of a control socket, or of another file.
std::string lock_of(const std::string& socket_path);

/// Locks an open file for this descriptor. False when another process has the lock.
bool lock_file(int descriptor);

/// The process that holds the lock of a control socket; 0 when its pid is not in the file. Nothing
/// when no process holds it. The function only looks at the lock and never takes it, so a daemon
/// that wants it at the same time gets it.
std::optional<pid_t> holder_of(const std::string& socket_path);

/// A lock file that this process holds. It is a file that is held open, so the lock ends with the
/// process.
class LockFile {
 public:
  /// Makes the file, if it is missing, with this mode. Nothing: another process has the lock.
  /// Errors: those of the system, with the path.
  static Result<std::optional<LockFile>> take(const std::string& path, mode_t mode);
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile() { release(); }

  /// Removes the file and ends the lock. False: that was done before.
  bool release();

 private:
  LockFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
};

}  // namespace ulnet::machine
