// The display while a run lasts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "selftest/ulst/run/measure.h"

namespace ulnet::tools::lst::run {

struct Live {
  std::string place;  ///< Plan::place
  Step step;
  /// number of the test in the run, and how many tests the run has
  std::size_t number = 1, of = 1;
  Duration elapsed{}, total{};  ///< time of the test
  std::vector<Flow> rows;       ///< rates since the last display, errors since the start
};

class Progress {
 public:
  virtual ~Progress() = default;
  /// Reports that the console is asking this many nodes to join a session, which may take a while.
  virtual void begin(std::size_t nodes) = 0;
  virtual void show(const Live& live) = 0;
  /// Ends the display, so that other text can follow.
  virtual void close() {}
};

/// Makes the display. On a terminal it is a table that is overwritten each time, elsewhere a line
/// each time. It shows nothing when the results are for programs and there is no terminal.
std::unique_ptr<Progress> progress_for(Format format);

/// Returns at most `height` lines of at most `width` columns. If rows do not fit, the last line
/// says how many.
std::string live_table(const Live& live, std::size_t width, std::size_t height);
std::string live_line(const Live& live);

}  // namespace ulnet::tools::lst::run
