// Reads configuration files.
#pragma once

#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools {

/// Reads the file, which may be a pipe, and returns its text. If the text is longer than
/// limits::kConfigTextMax, returns only its beginning, a little more than that.
Result<std::string> read_file(const std::string& path);

}  // namespace ulnet::tools
