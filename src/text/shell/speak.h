// Output of a command line: results go to the standard output or to a file, problems to the
// standard error.
#pragma once

#include <string>
#include <string_view>

namespace ulnet::tools {

void out(std::string_view text);
/// Prints `text` on the standard error. First flushes the output of out(), because both often go to
/// one file.
void err(std::string_view text);

/// Writes the text to the file `name`, or to stdout when `name` is empty. On a failure prints the
/// reason to stderr, after the name of the program, and returns false.
bool write_text(std::string_view program, const std::string& name, std::string_view text);

}  // namespace ulnet::tools
