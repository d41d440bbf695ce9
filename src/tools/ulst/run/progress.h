// What is shown while a run lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/ulst/run/measure.h"

namespace ulnet::tools::lst::run {

struct Live {
  std::string place;  ///< the plan's
  Step step;
  std::size_t number = 1, of = 1;  ///< which of the run's tests this is
  Duration elapsed{}, total{};     ///< of the test
  std::vector<Flow> rows;          ///< rates since the last time, errors since the beginning
};

class Progress {
 public:
  virtual ~Progress() = default;
  /// So many nodes are asked for a session; that may take a while.
  virtual void begin(std::size_t nodes) = 0;
  virtual void show(const Live& live) = 0;
  /// What is shown may be followed by other text.
  virtual void close() {}
};

/// A table in the place of the one before, in a terminal; a line each time where there is none;
/// nothing, where the results are for programs and nobody watches.
std::unique_ptr<Progress> progress_for(Format format);

/// At most `height` lines of at most `width` columns: rows that do not fit are counted.
std::string live_table(const Live& live, std::size_t width, std::size_t height);
std::string live_line(const Live& live);

}  // namespace ulnet::tools::lst::run
