// ulnetd's command line as values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conf/daemon_settings.h"
#include "conf/places.h"

namespace ulnet::tools {

struct DaemonOptions {
  std::optional<std::string> config;  ///< not given: the first of conf::config_files that exists
  std::string name{conf::kDefaultNodeName};
  std::string control;  ///< --control; else, without --name, ULNET_CONTROL; empty: chosen by name
  bool control_of_environment = false;  ///< `control` is ULNET_CONTROL's
  std::vector<std::string> interfaces;
  std::string net = "tcp";                    ///< of the interfaces
  std::map<std::string, std::string> params;  ///< --set, --accept-port, --mode; checked
  bool check = false;
  bool strict = false;            ///< what is only warned of in the configuration is a mistake
  conf::DaemonSettings settings;  ///< what the command line says of them
};

/// What to run with; or the exit code, when everything has been said already (help, version, a
/// mistake).
std::variant<DaemonOptions, int> parse_options(int argc, char** argv);

}  // namespace ulnet::tools
