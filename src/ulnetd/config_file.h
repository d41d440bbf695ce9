// Reads configuration files, and prints places in them in the form to which editors jump.
#pragma once

#include <string>

#include "lnet/config/problem.h"
#include "ulnet/result.hpp"

namespace ulnet::tools {

/// The text of the file, which may be a pipe; of a longer text a little more than
/// limits::kConfigTextMax.
Result<std::string> read_file(const std::string& path);

/// "file:line:column: what". Without a line it concerns the whole file.
std::string located(const std::string& file, conf::Place place, const std::string& what);
std::string located(const std::string& file, const conf::Problem& problem);

}  // namespace ulnet::tools
