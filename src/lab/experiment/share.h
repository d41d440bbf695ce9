// Shares of a rate as people write them: "0.7..", "0.4..0.6", "..0.5", "1".
#pragma once

#include <string_view>

#include "lab/experiment/experiment.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Parses decimal numbers from 0 to 1000. -EINVAL with the reason.
Result<ShareRange> parse_share(std::string_view text);

}  // namespace ulnet::tools::lab
