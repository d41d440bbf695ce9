// ulnetd's command line as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ulnet::tools {

enum class LogFormat : std::uint8_t { kText, kJson };

struct DaemonOptions {
  std::optional<std::string> config;  ///< not given: the first of conf::config_files that exists
  std::string name = "ulnet";
  std::string control;  ///< --control, else ULNET_CONTROL; empty: chosen by name
  std::vector<std::string> interfaces;
  std::string net = "tcp";                    ///< of the interfaces
  std::map<std::string, std::string> params;  ///< --set, --accept-port, --mode; checked
  bool check = false;
  bool strict = false;    ///< what is only warned of in the configuration is a mistake
  bool selftest = false;  ///< serve it from the start
  LogFormat log_format = LogFormat::kText;
  std::string log_level = "info";
  std::string log_file;  ///< empty: stderr
  std::optional<std::uint16_t> metrics_port;
  std::chrono::seconds drain{10};
};

/// What to run with; or the exit code, when everything has been said already (help, version, a
/// mistake).
std::variant<DaemonOptions, int> parse_options(int argc, char** argv);

}  // namespace ulnet::tools
