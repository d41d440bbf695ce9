#include "text/shell/speak.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ulnet::tools {

void out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void err(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool write_text(std::string_view program, const std::string& name, std::string_view text) {
  std::FILE* file = name.empty() ? stdout : std::fopen(name.c_str(), "we");
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) good = (name.empty() ? std::fflush(file) : std::fclose(file)) == 0 && good;
  if (!good)
    fmt::print(stderr, "{}: {}: {}\n", program, name.empty() ? "standard output" : name,
               std::strerror(errno));
  return good;
}

}  // namespace ulnet::tools
