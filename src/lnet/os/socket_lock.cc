#include "lnet/os/socket_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace ulnet::machine {

namespace {

/// Returns a lock of the whole file. An open-file-description lock belongs to the open file, like a
/// lock of flock(). Unlike flock(), F_OFD_GETLK shows whether another open file has the lock.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

std::string lock_of(const std::string& socket_path) { return socket_path + ".lock"; }

bool lock_file(int descriptor) {
  struct flock lock = whole_file();
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

std::optional<pid_t> holder_of(const std::string& socket_path) {
  const int file =
      ::open(lock_of(socket_path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct flock lock = whole_file();
  const bool held = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  char text[32] = {};
  if (held && ::pread(file, text, sizeof text - 1, 0) < 0) text[0] = '\0';
  ::close(file);
  if (!held) return std::nullopt;
  return static_cast<pid_t>(std::strtol(text, nullptr, 10));
}

}  // namespace ulnet::machine
