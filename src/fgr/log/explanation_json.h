// What explain-log says, for programs. Source: docs/FGR.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "fgr/log/log_explanation.h"

namespace ulnet::tools::fgr {

/// Of each list at most `top` entries; "left_out" says of how many there is no entry.
nlohmann::ordered_json explanation_json(const plan::Plan& plan,
                                        const plan::LogExplanation& explanation, std::size_t top);

}  // namespace ulnet::tools::fgr
