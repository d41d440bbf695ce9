// Makes observations from the answers of hosts, which are lnetctl's YAML or trees of the control
// API. Source: docs/spec/cli-lnetctl.md 4; docs/CONTROL-API.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin/client/control_api.h"
#include "fgr/verify/verify.h"

namespace ulnet::tools::fgr {

/// Converts a text of lnetctl to the tree that the control API would answer; several documents
/// become one. -EINVAL with the place and the reason, if the text is not a YAML mapping.
Result<ctl::Tree> tree_of_yaml(std::string_view text);

/// Returns the error that lnetctl printed instead of an answer: "Unspecific failure (Network is
/// down)"; empty: no error.
std::string complaint_in(const ctl::Tree& tree);

/// Reads the sections `net`, `route` and `routing`; fields of another type are ignored. A missing
/// `routing` means that the host has never routed. -EINVAL: `net` contains no NID, although even a
/// host without nets has 0@lo; so the text is another answer, or no answer.
Result<plan::HostSeen> host_seen(const ctl::Tree& tree);

/// Reads the section `ping` for these targets, in their order; a target without a failure has
/// answered. Failures are in `failed` (control API), in `manage` (lnetctl), or in `errors`
/// (lnetctl's standard error). -EINVAL: the text contains neither an answer nor a failure of any
/// target; the reason is then the text of `manage`.
Result<std::vector<plan::SeenPing>> pings_seen(const std::vector<plan::PingTarget>& targets,
                                               const ctl::Tree& tree, std::string_view errors);

}  // namespace ulnet::tools::fgr
