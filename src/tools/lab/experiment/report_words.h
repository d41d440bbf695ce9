// How reports write their figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace ulnet::tools::lab {

double seconds_of(Duration time);
/// "12.5 MB/s", "830 /s" for pings; "-" for none.
std::string rate_words(const ExperimentLoad& load, std::optional<double> rate);
/// "0.52"; "-".
std::string share_words(std::optional<double> share);
/// "2.5 s"; "never".
std::string back_words(std::optional<Duration> back);
/// "at 6s for 10s", "from 6s on".
std::string time_words(const ExperimentFault& fault);
/// Rows as lines of columns; the first `left` columns are left, the others right aligned.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t left);

}  // namespace ulnet::tools::lab
