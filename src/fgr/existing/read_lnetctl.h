// Reads nets, routes and routing out of lnetctl's YAML. Source: docs/spec/cli-lnetctl.md 5, 6.
#pragma once

#include <string_view>

#include "fgr/check/actual.h"
#include "lnet/config/problem.h"

namespace ulnet::tools::fgr {

/// Adds what the sections net, ip2nets, route and routing say; the others are passed over. A text
/// with nets, global settings, or nothing at all is that of a whole node: it speaks of nets and
/// routes even if it has none.
conf::Parsed<void> read_lnetctl(std::string_view text, plan::Actual& out);

}  // namespace ulnet::tools::fgr
