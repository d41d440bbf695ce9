// The files given to `check` and `diff`: finds them, reads them, and determines their hosts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fgr/check/actual.h"
#include "fgr/plan/planned.h"
#include "lnet/config/problem.h"

namespace ulnet::tools::fgr {

struct ExistingFilesOptions {
  std::string fabric;              ///< for fabric_of_file(); empty: not known
  std::vector<std::string> paths;  ///< files, and folders with all files below them
  std::vector<std::string> hosts;  ///< "HOST=FILE"
  /// If a file is exactly the plan's text for its host, it is not parsed. This saves time and
  /// changes no finding.
  bool trust_identical = true;
  /// Ignores files in folders that are not lnetctl's YAML.
  bool only_lnetctl = false;
};
struct ExistingFiles {
  std::vector<plan::Actual> files;  ///< in the order of the paths; in a folder ordered by name
  std::size_t others = 0;           ///< files in folders whose kind is not known
  conf::Problems mistakes;
};

/// Finds the hosts of a file by the file's own name without its extension (HOST, clients-NAME,
/// routers-NAME, servers-NAME), else by the folder's name, else by the NIDs in the file. Empty: the
/// file belongs to no known host.
std::vector<std::size_t> hosts_of(const plan::Planned& planned, const std::filesystem::path& file,
                                  const plan::Actual& actual);

/// Reads all files. A file that is given by name and is of no known kind is a mistake.
ExistingFiles read_existing(const plan::Planned& planned, const ExistingFilesOptions& options);

}  // namespace ulnet::tools::fgr
