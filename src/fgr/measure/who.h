// The NIDs and the console for the measurement of a site.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fgr/measure/measure.h"
#include "selftest/ulst/console_client.h"

namespace ulnet::tools::fgr {

struct ConsoleOptions {
  /// a laboratory of ulnet-lab with the site's hosts; empty: no laboratory
  std::string lab;
  std::string control;  ///< the console's node: a socket, a name, or empty
  /// the console is a node in this process, with these nets and parameters
  bool standalone = false;
  std::string nets;
  std::vector<std::string> params;  ///< NAME=VALUE
};

/// The process ids of the clients, and those of OSSs by host name.
struct Measurers {
  std::vector<std::string> from;
  /// index in Site::clients; empty: they belong to different systems
  std::optional<std::size_t> system;
  std::function<std::string(const plan::Oss&)> id_of;
  std::string control;  ///< control socket of the console, unless it is standalone
};

/// Finds the clients, the OSSs and the console of a measurement. `from`: process ids with lists and
/// ranges. In a laboratory: names of nodes and groups, or empty for all clients; the clients must
/// belong to one system, since those of two systems do not reach each other. The console is the
/// first client of a laboratory, unless `console_options` names another node. Errors have a
/// sentence for the user. `plan` must outlive the result.
Result<Measurers> measurers_of(const plan::Plan& plan, const std::vector<std::string>& from,
                               const ConsoleOptions& console_options);

Result<std::unique_ptr<lst::ConsoleClient>> console_for(const ConsoleOptions& console_options,
                                                        const Measurers& measurers);

}  // namespace ulnet::tools::fgr
