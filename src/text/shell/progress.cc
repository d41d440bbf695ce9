#include "text/shell/progress.h"

#include <unistd.h>

#include <cstdio>

namespace ulnet::tools {

Progress::Progress()
    : terminal_(::isatty(STDERR_FILENO) == 1), next_(std::chrono::steady_clock::now()) {
  if (!terminal_) next_ += std::chrono::seconds(10);
}

void Progress::step(const std::string& text) {
  if (terminal_) return detail(text);
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::detail(const std::string& text) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::say(const std::string& text) {
  clear();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

bool Progress::due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
  return true;
}

}  // namespace ulnet::tools
