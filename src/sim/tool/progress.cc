#include "sim/tool/progress.h"

#include <unistd.h>

#include <cstdio>

namespace ulnet::tools {

Progress::Progress()
    : terminal_(::isatty(STDERR_FILENO) == 1), next_(std::chrono::steady_clock::now()) {
  if (!terminal_) next_ += std::chrono::seconds(10);
}

bool Progress::due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
  return true;
}

void Progress::print(const std::string& text) {
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace ulnet::tools
