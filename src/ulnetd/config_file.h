// Reads configuration files, and prints places in them in the form to which editors jump.
#pragma once

#include <string>

#include "lnet/config/problem.h"
#include "ulnet/result.hpp"

namespace ulnet::tools {

/// Reads the file, which may be a pipe, and returns its text. If the text is longer than
/// limits::kConfigTextMax, returns only its beginning, a little more than that.
Result<std::string> read_file(const std::string& path);

/// "file:line:column: what". Without a line it concerns the whole file.
std::string located(const std::string& file, conf::Place place, const std::string& what);
std::string located(const std::string& file, const conf::Problem& problem);

}  // namespace ulnet::tools
