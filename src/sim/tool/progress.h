// Shows the progress on standard error: on a terminal one line that is overwritten, elsewhere a
// plain line from time to time.
#pragma once

#include <chrono>
#include <string>

namespace ulnet::tools {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Calls `text` and shows its result when a new one is due.
  template <class Text>
  void show(Text&& text) {
    if (due()) print(text());
  }
  /// Clears the line, so that something else can be printed.
  void clear();

 private:
  bool due();
  void print(const std::string& text);

  const bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace ulnet::tools
