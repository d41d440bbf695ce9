#include "lab/live/progress.h"

#include <unistd.h>

#include <cstdio>

namespace ulnet::tools::lab {

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

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

}  // namespace ulnet::tools::lab
