// A folder of files that appears whole or not at all.
#pragma once

#include <filesystem>
#include <vector>

#include "fgr/plan/outputs.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

/// Writes the files into a new folder beside `folder`, and then gives it that name. If `folder`
/// exists and is not empty, it is replaced when `replace` is true and the files include all entries
/// at its top; else -EEXIST. After an error the former contents are as they were. Signals that end
/// the process (SIGHUP, SIGINT, SIGTERM) wait until the function returns.
Result<void> write_folder(const std::filesystem::path& folder,
                          const std::vector<plan::OutputFile>& files, bool replace);

}  // namespace ulnet::tools::fgr
