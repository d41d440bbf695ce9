// Configuration files as texts, and places in them as editors jump to.
#pragma once

#include <string>

#include "lnet/config/problem.h"
#include "ulnet/result.hpp"

namespace ulnet::tools {

/// The file's text, of a pipe's too; a little more than limits::kConfigTextMax of a longer one.
Result<std::string> read_file(const std::string& path);

/// "file:line:column: what". Without a line it concerns the whole file.
std::string located(const std::string& file, conf::Place place, const std::string& what);
std::string located(const std::string& file, const conf::Problem& problem);

}  // namespace ulnet::tools
