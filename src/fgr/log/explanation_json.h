// The output of explain-log, for programs. Source: docs/FGR.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "fgr/log/log_explanation.h"

namespace ulnet::tools::fgr {

/// Returns the explanation as JSON. Each list has at most `top` entries; "left_out" is the number
/// of those that are missing.
nlohmann::ordered_json explanation_json(const plan::Plan& plan,
                                        const plan::LogExplanation& explanation, std::size_t top);

}  // namespace ulnet::tools::fgr
