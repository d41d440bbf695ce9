// How far it is, on standard error: one line that is written over on a terminal, plain lines now
// and then elsewhere.
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
  /// Shown if it is time to.
  template <class Text>
  void show(Text&& text) {
    if (due()) print(text());
  }
  /// So that something else can be printed.
  void clear();

 private:
  bool due();
  void print(const std::string& text);

  const bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace ulnet::tools
