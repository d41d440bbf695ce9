// An experiment in a laboratory of its own, which is brought up for it and taken down after it.
#pragma once

#include <string>

#include "lab/experiment/experiment.h"
#include "lab/experiment/measured.h"
#include "lab/live/progress.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

struct LiveWish {
  std::string name;     ///< of the laboratory
  bool spaces = false;  ///< in network namespaces, with rates; else on loopback
  bool keep = false;    ///< do not take it down
};

/// Runs it, with progress on the standard error. Needs a StopSignal; after a signal the faults are
/// mended, what is not to be kept is taken down, and the error is -EINTR. Other errors are
/// sentences for people.
Result<Measured> run_live(const Experiment& experiment, const LiveWish& wish, Progress& progress);

}  // namespace ulnet::tools::lab
