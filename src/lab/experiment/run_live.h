// An experiment in a laboratory of its own, which is started for it and taken down after it.
#pragma once

#include <string>

#include "lab/experiment/experiment.h"
#include "lab/experiment/measured.h"
#include "text/shell/progress.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

struct LiveOptions {
  std::string name;     ///< of the laboratory
  bool spaces = false;  ///< in network namespaces, with rates; else on loopback
  bool keep = false;    ///< do not take the laboratory down
};

/// Runs the experiment, with progress on standard error. Needs a StopSignal. After a signal it
/// repairs the faults and takes the laboratory down unless it is kept; the error is then -EINTR.
/// Other errors are sentences for people.
Result<Measured> run_live(const Experiment& experiment, const LiveOptions& options,
                          Progress& progress);

}  // namespace ulnet::tools::lab
