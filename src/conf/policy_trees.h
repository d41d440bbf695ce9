// Selection policies as trees, in the form that lnetctl shows and import takes. Source:
// spec/cli-lnetctl.md 4.8.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/udsp/rule_list.h"

namespace ulnet::conf {

/// {"udsp": [{"idx": 0, "src": "tcp", "action": {"priority": 0}}]}. A rule with two criteria has an
/// action only if it was given a priority.
nlohmann::ordered_json udsp_tree(const core::udsp::RuleList& rules);

}  // namespace ulnet::conf
