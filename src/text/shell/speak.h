// Output of a command line: results go to the standard output, problems to the standard error.
#pragma once

#include <string_view>

namespace ulnet::tools {

void out(std::string_view text);
/// First flushes the output of out(), since both often go to one file.
void err(std::string_view text);

}  // namespace ulnet::tools
