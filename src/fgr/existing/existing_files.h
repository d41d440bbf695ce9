// The files that `check` and `diff` are given: found, read, and told for which hosts they are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fgr/check/actual.h"
#include "fgr/plan/planned.h"

namespace ulnet::tools::fgr {

struct FilesWish {
  std::string fabric;              ///< as fabric_of_file() takes it; empty: not known
  std::vector<std::string> paths;  ///< files, and folders with all that is below them
  std::vector<std::string> hosts;  ///< "HOST=FILE"
  /// Files of the very text that the plan makes for their host are not taken apart. It saves time
  /// and changes no finding.
  bool trust_identical = true;
  /// Files in folders count only when they are lnetctl's YAML.
  bool only_lnetctl = false;
};
struct ExistingFiles {
  std::vector<plan::Actual> files;    ///< in the order of the paths, of a folder by name
  std::size_t others = 0;             ///< in folders, and of no kind that is known
  std::vector<std::string> mistakes;  ///< "file:line:column: reason"
};

/// For which hosts a file is: by its own name without an ending (HOST, clients-NAME, routers-NAME,
/// servers-NAME), else by its folder's, else by the NIDs that it has. Nothing: of no known host.
std::vector<std::size_t> hosts_of(const plan::Planned& planned, const std::filesystem::path& file,
                                  const plan::Actual& actual);

/// Reads all. What is given by name and is of no known kind is a mistake.
ExistingFiles read_existing(const plan::Planned& planned, const FilesWish& wish);

}  // namespace ulnet::tools::fgr
