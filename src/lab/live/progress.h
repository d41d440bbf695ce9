// Shows the progress of a command on standard error: on a terminal in one line that is overwritten,
// elsewhere in a plain line for each step.
#pragma once

#include <string>

namespace ulnet::tools::lab {

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
  /// Prints a sentence that stays visible.
  void say(const std::string& text);
  /// Clears the line, so that other text can be printed.
  void clear();

 private:
  const bool terminal_;
  bool shown_ = false;
};

}  // namespace ulnet::tools::lab
