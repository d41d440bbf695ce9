// A folder of files that appears whole or not at all.
#pragma once

#include <filesystem>
#include <vector>

#include "fgr/plan/outputs.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

/// Writes the files into a new folder beside `folder`, and then gives it that name. A folder that
/// is there already and not empty is replaced when `replace` is true and it has nothing, at its
/// top, that the files have not; else -EEXIST. When anything fails, what was there before is as it
/// was. Signals that end the process (SIGHUP, SIGINT, SIGTERM) wait until it is done.
Result<void> write_folder(const std::filesystem::path& folder,
                          const std::vector<plan::OutputFile>& files, bool replace);

}  // namespace ulnet::tools::fgr
