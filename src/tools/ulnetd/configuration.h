// What the daemon is told to be: configuration file and command line joined into one conf::Config.
// Source: DESIGN.md 5, spec/cli-lnetctl.md 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conf/diff.h"
#include "tools/ulnetd/options.h"
#include "ulnet/result.hpp"

namespace ulnet::tools {

struct Configuration {
  conf::Config config;
  std::vector<std::string> warnings;  ///< things that stop nothing, "file:line:column: ..."
};

/// Every mistake there is, a line each ("file:line:column: ..."); never empty.
using Mistakes = std::vector<std::string>;

/// Reads and joins; the command line's parameters and settings win over the file's. Where the
/// options are strict a warning is a mistake. `file`: none is the command line alone. `machine`:
/// another one to judge CPU partitions by (node/cpu_topology.h), for tests.
tl::expected<Configuration, Mistakes> read_configuration(const std::optional<std::string>& file,
                                                         const DaemonOptions& options,
                                                         const std::string& machine = {});

/// "3 nets with 4 interfaces, 0 global settings, 2 parameters; daemon: metrics 9100".
std::string summary(const conf::Config& config);

}  // namespace ulnet::tools
