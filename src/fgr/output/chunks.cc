#include "fgr/output/chunks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace ulnet::tools::fgr {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& file)
      : number_(file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

tl::unexpected<Error> system_error() {
  const int error = errno;
  return fail(-error, std::strerror(error));
}

}  // namespace

Result<void> read_chunks(const std::string& file,
                         const std::function<bool(std::string_view chunk)>& take) {
  const OpenFile open(file);
  if (open.number() < 0) return system_error();
  std::vector<char> chunk(kChunk);
  for (;;) {
    const ssize_t got = ::read(open.number(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error();
    if (got == 0 || !take({chunk.data(), static_cast<std::size_t>(got)})) return {};
  }
}

Result<std::string> read_whole(const std::string& file, std::size_t most) {
  std::string text;
  const auto read = read_chunks(file, [&](std::string_view chunk) {
    text += chunk;
    return text.size() <= most;
  });
  if (!read) return tl::unexpected(read.error());
  if (text.size() > most) return fail(-EFBIG, fmt::format("it has more than {} bytes", most));
  return text;
}

std::uint64_t size_of_file(const std::string& file) {
  struct stat status {};
  if (file == "-" || ::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace ulnet::tools::fgr
