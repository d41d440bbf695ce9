// Writes the output of a command to a file or to standard output.
#pragma once

#include <string>
#include <string_view>

namespace ulnet::tools::lab {

/// Writes to a file, or to stdout when it has no name. False when that failed; the reason is then
/// on stderr, after the name of the program.
bool write_text(std::string_view program, const std::string& name, std::string_view text);

}  // namespace ulnet::tools::lab
