// The daemon's requested configuration: configuration file and command line joined into one
// conf::Config. Source: DESIGN.md 5, spec/cli-lnetctl.md 5.
#pragma once

#include <optional>
#include <string>

#include "admin/conf/diff.h"
#include "ulnet/result.hpp"
#include "ulnetd/options.h"

namespace ulnet::tools {

struct Configuration {
  conf::Config config;
  conf::Problems warnings;  ///< they do not stop the daemon
};

/// How a configuration is tried.
struct Trial {
  std::string machine;  ///< for tests: the machine, as in lnet/os/cpu_topology.h; empty: this one
  const conf::Config* in_force = nullptr;  ///< a configuration that need not be tried again
};

/// Reads the file and joins it with the files of module parameters (--modparams), whose parameters
/// win over its own, and with the command line, whose parameters and settings win over both. With
/// strict options a warning is a mistake. Tries the result on a trial node
/// (node::Node::start_trial()): what the node would refuse when it starts is a mistake too. Returns
/// all mistakes, at least one. `file`: nothing means the command line alone.
tl::expected<Configuration, conf::Problems> read_configuration(
    const std::optional<std::string>& file, const DaemonOptions& options, const Trial& trial = {});

/// "3 nets with 4 interfaces, 0 global settings, 2 parameters; daemon: metrics 9100".
std::string summary(const conf::Config& config);

}  // namespace ulnet::tools
