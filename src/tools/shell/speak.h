// Where a command line's words go: results to the standard output, problems to the standard error.
#pragma once

#include <string_view>

namespace ulnet::tools {

void out(std::string_view text);
/// After what out() has said: the two are often one file.
void err(std::string_view text);

}  // namespace ulnet::tools
