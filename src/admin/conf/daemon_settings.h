// How a daemon serves its node: the options of ulnetd that a configuration file may also give, in
// its section `daemon:`. These settings do not belong to the node. Source: docs/man/ulnetd.8.scd;
// lnetctl has no such section.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::conf {

/// The settings from the command line or the file; empty: not given.
struct DaemonSettings {
  std::optional<bool> selftest;           ///< serve LNet selftest from the start
  std::optional<std::uint16_t> metrics;   ///< loopback port of /metrics and /healthz; 0: any
  std::optional<bool> metrics_api;        ///< that port serves all other read requests, too
  std::optional<std::string> log_level;   ///< one of kLogLevels
  std::optional<std::string> log_format;  ///< one of kLogFormats
  std::optional<std::string> log_file;    ///< a path; empty: standard error
  std::optional<std::uint32_t> drain;     ///< seconds, at most kDrainMax
  std::optional<bool> skip_unsupported;   ///< leave out nets whose type is not built in
  bool operator==(const DaemonSettings&) const = default;
};

inline constexpr std::array<std::string_view, 4> kLogLevels{"debug", "info", "warning", "error"};
inline constexpr std::array<std::string_view, 2> kLogFormats{"text", "json"};
inline constexpr std::uint32_t kDrainMax = 86'400;

/// Returns `first`, with the settings of `second` that `first` does not have.
DaemonSettings merged(DaemonSettings first, const DaemonSettings& second);

/// Returns the settings that are given, in the order above: "selftest true", "metrics 9100",
/// "log-level debug".
std::vector<std::string> described(const DaemonSettings& settings);

/// Returns the keys whose values differ.
std::vector<std::string> differing_keys(const DaemonSettings& one, const DaemonSettings& other);

}  // namespace ulnet::conf
