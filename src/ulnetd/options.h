// The options of ulnetd's command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "admin/conf/daemon_settings.h"
#include "admin/conf/places.h"

namespace ulnet::tools {

struct DaemonOptions {
  std::optional<std::string> config;  ///< nothing: the first of conf::config_files that exists
  std::string name{conf::kDefaultNodeName};
  /// The value of --control, or of ULNET_CONTROL without --control and --name; empty: derived from
  /// the name
  std::string control;
  bool control_of_environment = false;  ///< `control` is ULNET_CONTROL
  std::vector<std::string> interfaces;
  std::string net = "tcp";                    ///< the net of the interfaces
  std::vector<std::string> modparams;         ///< modprobe files with module parameters
  std::map<std::string, std::string> params;  ///< --set, --accept-port, --mode; checked
  std::optional<std::string> user;            ///< USER[:GROUP] that the process becomes
  bool check = false;
  bool background = false;        ///< go on in a child process, and return when it is ready
  bool strict = false;            ///< warnings about the configuration are mistakes
  conf::DaemonSettings settings;  ///< those that the command line sets
};

/// The options, or the exit code when there is nothing to run: help, version or a mistake were
/// printed.
std::variant<DaemonOptions, int> parse_options(int argc, char** argv);

}  // namespace ulnet::tools
