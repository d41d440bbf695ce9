// Formats the figures of reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/judge.h"

namespace ulnet::tools::lab {

/// Returns "12.5 MB/s", "830 /s" for pings; "-" without a rate.
std::string rate_words(const ExperimentLoad& load, std::optional<double> rate);
/// Returns "0.52"; "-" without a share.
std::string share_words(std::optional<double> share);
/// Returns how long the rate took to recover after a fault: "2.5 s" or "never". "-": the fault did
/// not overlap the load.
std::string back_words(const FaultEffect& effect);
/// Returns `a` divided by `b`, if both exist.
std::optional<double> ratio(std::optional<double> a, std::optional<double> b);
/// Returns "at 6s for 10s", "from 6s on".
std::string time_words(const ExperimentFault& fault);
/// Returns the rows as lines of columns. The first `left` columns are left-aligned, the others
/// right-aligned.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t left);

}  // namespace ulnet::tools::lab
