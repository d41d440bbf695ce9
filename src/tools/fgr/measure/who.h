// By which NIDs, and with which console, a site is measured.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/measure/measure.h"
#include "tools/ulst/console_door.h"

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
  std::function<std::string(const plan::Oss&)> id_of;
  std::string control;  ///< the door of the console, unless it is standalone
  /// In Site::clients, to which they belong by their net. Nothing: to none that is known.
  std::optional<std::size_t> system;
};

/// `from` are process ids with lists and ranges, of a laboratory names of nodes and groups; of that
/// all clients when it is empty. The console is at the first client of a laboratory, unless `wish`
/// names one. -EINVAL: clients of several systems, of which the console reaches those of its own
/// only. Errors have a sentence for the user. `plan` must outlive the result.
Result<Measurers> measurers_of(const plan::Plan& plan, const std::vector<std::string>& from,
                               const ConsoleWish& wish);

Result<std::unique_ptr<lst::ConsoleDoor>> console_for(const ConsoleWish& wish,
                                                      const Measurers& measurers);

}  // namespace ulnet::tools::fgr
