#include "text/shell/speak.h"

#include <cstdio>

namespace ulnet::tools {

void out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void err(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace ulnet::tools
