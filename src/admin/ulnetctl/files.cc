#include "admin/ulnetctl/files.h"

#include <cerrno>
#include <cstring>

#include "lnet/base/limits.h"

namespace ulnet::tools {

Result<std::string> read_all(std::FILE* file) {
  std::string text;
  char buffer[64 << 10];
  while (text.size() <= limits::kConfigTextMax) {
    const std::size_t got = std::fread(buffer, 1, sizeof buffer, file);
    text.append(buffer, got);
    if (got < sizeof buffer) break;
  }
  if (std::ferror(file) != 0) return fail(-errno, std::strerror(errno));
  return text;
}

}  // namespace ulnet::tools
