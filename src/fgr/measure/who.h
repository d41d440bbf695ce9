// By which NIDs, and with which console, a site is measured.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fgr/measure/measure.h"
#include "selftest/ulst/console_door.h"

namespace ulnet::tools::fgr {

struct ConsoleWish {
  std::string lab;          ///< a laboratory of ulnet-lab that has the site's hosts; empty: none
  std::string control;      ///< the console's node: a socket, a name, or empty
  bool standalone = false;  ///< a node in this process, with these nets and parameters
  std::string nets;
  std::vector<std::string> params;  ///< NAME=VALUE
};

/// Clients by their process ids, and those of OSSs by the names of their hosts.
struct Measurers {
  std::vector<std::string> from;
  std::optional<std::size_t> system;  ///< in Site::clients; empty: they are of no one system
  std::function<std::string(const plan::Oss&)> id_of;
  std::string control;  ///< the door of the console, unless it is standalone
};

/// `from`: process ids with lists and ranges. In a laboratory: names of nodes and groups, or empty
/// for all clients; they have to be of one system, since those of two do not reach each other. The
/// console is at the first client of a laboratory, unless `wish` names one. Errors have a sentence
/// for the user. `plan` must outlive the result.
Result<Measurers> measurers_of(const plan::Plan& plan, const std::vector<std::string>& from,
                               const ConsoleWish& wish);

Result<std::unique_ptr<lst::ConsoleDoor>> console_for(const ConsoleWish& wish,
                                                      const Measurers& measurers);

}  // namespace ulnet::tools::fgr
