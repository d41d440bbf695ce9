// Shows the progress of a command on standard error: on a terminal in one line that is overwritten,
// elsewhere in a plain line for each step.
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
  /// Shows that a step begins.
  void step(const std::string& text);
  /// Shows how far the step has come, on a terminal only.
  void detail(const std::string& text);
  /// Shows the result of `text` as a step, if the last such call is long enough ago: 200 ms on a
  /// terminal, 10 s elsewhere. Otherwise it does not call `text`.
  template <class Text>
  void show(Text&& text) {
    if (due()) step(text());
  }
  /// Prints a sentence that stays visible.
  void say(const std::string& text);
  /// Clears the line, so that other text can be printed.
  void clear();

 private:
  bool due();

  const bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;  ///< when show() calls `text` again
};

}  // namespace ulnet::tools
