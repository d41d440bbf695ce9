// What hosts answer, as lnetctl's YAML or as the trees of a control door, becomes observations.
// Source: docs/spec/cli-lnetctl.md 4; docs/DOOR.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin/client/door.h"
#include "fgr/verify/verify.h"

namespace ulnet::tools::fgr {

/// A text of lnetctl as the tree that a door would answer; several documents become one. -EINVAL
/// with the place and the reason, for what is no YAML mapping.
Result<ctl::Tree> tree_of_yaml(std::string_view text);

/// What lnetctl says in the place of an answer: "Unspecific failure (Network is down)"; else empty.
std::string complaint_in(const ctl::Tree& tree);

/// The sections `net`, `route` and `routing`; fields of another shape are passed over. An absent
/// `routing` says that the host has never routed. -EINVAL: there is no NID in `net`, where even a
/// host without nets has 0@lo, so that it is another answer, or none.
Result<plan::HostSeen> host_seen(const ctl::Tree& tree);

/// The section `ping`, for these targets in their order: those that are not among the failed ones.
/// Failures are in `failed`, as a door has them, in `manage`, as lnetctl has them, or in `errors`
/// (of lnetctl, on standard error). -EINVAL: neither an answer nor a failure of any target is in
/// it, with what `manage` says instead.
Result<std::vector<plan::SeenPing>> pings_seen(const std::vector<plan::PingTarget>& targets,
                                               const ctl::Tree& tree, std::string_view errors);

}  // namespace ulnet::tools::fgr
