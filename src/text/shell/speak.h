// Output of a command line: results go to the standard output, problems to the standard error.
#pragma once

#include <string_view>

namespace ulnet::tools {

void out(std::string_view text);
/// Prints `text` on the standard error. First flushes the output of out(), because both often go to
/// one file.
void err(std::string_view text);

}  // namespace ulnet::tools
