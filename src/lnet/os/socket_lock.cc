#include "lnet/os/socket_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

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

Result<std::optional<LockFile>> LockFile::take(const std::string& path, mode_t mode) {
  const auto failed = [&] { return fail(-errno, path + ": " + std::strerror(errno)); };
  for (;;) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file < 0) return failed();
    const bool taken = lock_file(file);
    struct stat held {};
    struct stat named {};
    if (taken && ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
      LockFile lock(path, file);
      const std::string own = std::to_string(::getpid()) + "\n";
      if (::ftruncate(file, 0) != 0 || ::pwrite(file, own.data(), own.size(), 0) < 0)
        return failed();
      return std::optional(std::move(lock));
    }
    ::close(file);
    if (!taken) return std::nullopt;
    // Its last holder removed the file before this process took the lock.
  }
}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

bool LockFile::release() {
  if (descriptor_ < 0) return false;
  ::unlink(path_.c_str());  // while it is held, so that no other process's file is removed
  ::close(std::exchange(descriptor_, -1));
  return true;
}

}  // namespace ulnet::machine
