// Selection policies as trees, in the forms that the tools show and import: lnetctl's and the
// design document's. Source: spec/cli-lnetctl.md 4.8, spec/design-vs-today.md 2.5.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lnet/config/selection.h"

namespace ulnet::conf {

/// Returns {"udsp": [{"idx": 0, "src": "tcp", "action": {"priority": 0}}]}. A rule with two
/// criteria has an action only if the rule was given a priority.
nlohmann::ordered_json udsp_tree(const core::udsp::RuleList& rules);

/// Returns {"selection": [{"id": 1, "type": "net", "net": "o2ib*", "priority": 0}]}.
nlohmann::ordered_json selection_tree(const core::udsp::RuleList& rules);
/// Returns one selection, without an id and without the parts that are not given.
nlohmann::ordered_json selection_item(const Selection& selection);

}  // namespace ulnet::conf
