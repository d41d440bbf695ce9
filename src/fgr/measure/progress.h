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
  /// A test begins: the `number`th (from 1) of `of`.
  virtual void begin(std::size_t number, std::size_t of, const std::string& title,
                     std::uint32_t concurrency) = 0;
  /// The rate of all OSSs since the last call.
  virtual void show(Duration elapsed, Duration total, double bytes_per_s) = 0;
  /// The test has ended; null: it gave no measurement.
  virtual void end(const Measured* measured) = 0;
};

/// On standard error: on a terminal one line that is overwritten; else a line for each test.
std::unique_ptr<MeasureProgress> measure_progress();

}  // namespace ulnet::tools::fgr
