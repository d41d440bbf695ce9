// Reads nets, routes and routing from lnetctl's YAML. Source: docs/spec/cli-lnetctl.md 5, 6.
#pragma once

#include <string_view>

#include "fgr/check/actual.h"
#include "lnet/config/problem.h"

namespace ulnet::tools::fgr {

/// Adds the content of the sections net, ip2nets, route and routing; other sections are ignored. A
/// text with nets, with global settings, or without any content describes a whole node: it covers
/// nets and routes even if it has none.
conf::Parsed<void> read_lnetctl(std::string_view text, plan::Actual& out);

}  // namespace ulnet::tools::fgr
