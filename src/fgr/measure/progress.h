// The display while a measurement lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fgr/measure/measurement.h"
#include "lnet/base/time.h"

namespace ulnet::tools::fgr {

class MeasureProgress {
 public:
  virtual ~MeasureProgress() = default;
  /// Shows that a test begins: the `number`th (from 1) of `of`.
  virtual void begin(std::size_t number, std::size_t of, const std::string& title,
                     std::uint32_t concurrency) = 0;
  /// Shows the rate of all OSSs since the last call.
  virtual void show(Duration elapsed, Duration total, double bytes_per_s) = 0;
  /// Shows that the test has ended; null: it gave no measurement.
  virtual void end(const Measured* measured) = 0;
};

/// Returns a display on standard error: on a terminal one line that is overwritten; else a line for
/// each test.
std::unique_ptr<MeasureProgress> measure_progress();

}  // namespace ulnet::tools::fgr
