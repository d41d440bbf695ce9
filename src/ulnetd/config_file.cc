#include "ulnetd/config_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lnet/base/limits.h"

namespace ulnet::tools {

namespace {

/// Waits until a pipe, whose writer may be slow, has more to read. False: no data came within the
/// time-out.
bool more_comes(int file) {
  constexpr int kTimeoutMs = 10'000;
  pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, kTimeoutMs) > 0;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return fail(-errno, std::string("cannot open: ") + std::strerror(errno));
  std::string text;
  char buffer[64 << 10];
  for (;;) {
    const auto got = ::read(file, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && more_comes(file)))) continue;
    const int problem = got < 0 ? errno : 0;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
    if (got > 0 && text.size() <= limits::kConfigTextMax) continue;
    ::close(file);
    if (problem != 0) return fail(-problem, std::string("cannot read: ") + std::strerror(problem));
    return text;
  }
}

}  // namespace ulnet::tools
