// What a user sees of a run: its verdict in words, its trace, its picture.
#pragma once

#include <string>

#include "sim/scenario/run.h"
#include "sim/tool/options.h"

namespace ulnet::tools {

/// "good: 1204 steps, 12.3 virtual seconds, digest 0123456789abcdef", or the failure.
std::string verdict_text(const sim::Report& report);
/// A table of the links between switches; empty when there are no links.
std::string links_text(const sim::Report& report);

/// Runs `scenario` and shows it as `show` says: the trace on standard output or in `trace_file`,
/// the picture in a file. `written` is false when a file could not be written; a message is then
/// on standard error.
struct Shown {
  sim::Report report;
  bool written = true;
};
Shown run_and_show(const sim::Scenario& scenario, const Showing& show, std::uint64_t until,
                   const std::string& title, const std::string& trace_file = {});

}  // namespace ulnet::tools
