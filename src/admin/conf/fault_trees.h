// Fault rules as trees, with the keys of `lnetctl fault show`. Source: spec/cli-lnetctl.md 4.9.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lnet/core/contract/fault.h"

namespace ulnet::conf {

/// Returns {"rule_type": "drop", "fa_src": "*@tcp", ...}: the rule without counters. Attributes
/// that the rule does not have are left out if lnetctl does not show them.
nlohmann::ordered_json fault_item(const core::FaultRule& rule);
/// Returns {"fault": [...]}: rules with their counters.
nlohmann::ordered_json fault_tree(const std::vector<core::FaultRow>& rows);

}  // namespace ulnet::conf
