// Selection policies of the fake control API: the bodies of requests, and the list that a real node
// uses. Source: docs/CONTROL-API.md (/v1/udsp, /v1/selection).
#pragma once

#include "admin/client/control_api.h"
#include "lnet/core/udsp/rule_list.h"

namespace ulnet::ctl::test {

// The functions trust the bodies, since the programs under test have made them. The errors are
// those of the list, which an error leaves unchanged.
Result<void> add_udsp(core::udsp::RuleList& rules, const Tree& body);
Result<void> del_udsp(core::udsp::RuleList& rules, const Tree& body);
Result<void> add_selection(core::udsp::RuleList& rules, const Tree& body);
Result<void> del_selection(core::udsp::RuleList& rules, const Tree& body);

/// Changes fault rules as a node does, by the method of the request (docs/CONTROL-API.md,
/// /v1/fault).
Result<void> change_faults(Tree& rules, const std::string& method, const Tree& body);

}  // namespace ulnet::ctl::test
