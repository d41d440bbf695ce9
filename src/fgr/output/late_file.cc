#include "fgr/output/late_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace ulnet::tools::fgr {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return fail(-error, "cannot write " + path + ": " + std::strerror(error));
}

}  // namespace

Result<LateFile> LateFile::make(const std::string& path) {
  if (path.empty()) return LateFile({}, {}, -1);
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode))
    return cannot_write(path, EISDIR);
  std::string beside = path + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return cannot_write(path, errno);
  ::fchmod(descriptor, 0644);
  return LateFile(path, std::move(beside), descriptor);
}

LateFile::LateFile(LateFile&& other) noexcept
    : path_(std::move(other.path_)),
      beside_(std::exchange(other.beside_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

LateFile::~LateFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

Result<void> LateFile::finish(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(descriptor_, text.data(), text.size());
    if (wrote < 0 && errno != EINTR) return cannot_write(path_, errno);
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(wrote, 0)));
  }
  if (::rename(beside_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  beside_.clear();
  return {};
}

}  // namespace ulnet::tools::fgr
