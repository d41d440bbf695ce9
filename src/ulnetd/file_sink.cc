#include "ulnetd/file_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace ulnet::tools {

namespace {

/// Returns the number of the descriptor that the path names; nothing: the path names none. Opening
/// such a path would follow a link, perhaps to a file of another user.
std::optional<int> descriptor_named(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  static constexpr std::string_view kFolder = "/dev/fd/";
  if (!path.starts_with(kFolder)) return std::nullopt;
  int number = -1;
  const char* const end = path.data() + path.size();
  const auto read = std::from_chars(path.data() + kFolder.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

Result<std::shared_ptr<FileSink>> FileSink::open(const std::string& path) {
  const auto own = descriptor_named(path);
  const int descriptor =
      own ? ::fcntl(*own, F_DUPFD_CLOEXEC, 0)
          : ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
                   0644);
  if (descriptor >= 0) return std::make_shared<FileSink>(descriptor);
  const int code = errno;
  return fail(-code, "log file: " + path +
                         (code == ELOOP ? " is a symbolic link: name the file that it leads to"
                                        : ": " + std::string(std::strerror(code))));
}

FileSink::~FileSink() { ::close(descriptor_); }

void FileSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace ulnet::tools
