// What the fake door does with selection policies: the bodies of requests, and a list as a node has
// it. Source: docs/DOOR.md (/v1/udsp, /v1/selection).
#pragma once

#include "admin/client/door.h"
#include "lnet/core/udsp/rule_list.h"

namespace ulnet::ctl::test {

// The bodies are right: the programs under test have made them. The errors are those of the list,
// which then is what it was.
Result<void> add_udsp(core::udsp::RuleList& rules, const Tree& body);
Result<void> del_udsp(core::udsp::RuleList& rules, const Tree& body);
Result<void> add_selection(core::udsp::RuleList& rules, const Tree& body);
Result<void> del_selection(core::udsp::RuleList& rules, const Tree& body);

/// What a node does with its fault rules, by the method of the request (docs/DOOR.md, /v1/fault).
Result<void> change_faults(Tree& rules, const std::string& method, const Tree& body);

}  // namespace ulnet::ctl::test
