// Writes the output of a command to a file or to standard output.
#pragma once

#include <string>
#include <string_view>

namespace ulnet::tools::lab {

/// Writes the text to the file `name`, or to stdout when `name` is empty. On a failure prints the
/// reason to stderr, after the name of the program, and returns false.
bool write_text(std::string_view program, const std::string& name, std::string_view text);

}  // namespace ulnet::tools::lab
