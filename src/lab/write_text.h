// What a command made, as a file or on the standard output.
#pragma once

#include <string>
#include <string_view>

namespace ulnet::tools::lab {

/// To a file, or to stdout when it has no name. False when that failed: then the reason is said on
/// stderr, after the name of the program.
bool write_text(std::string_view program, const std::string& name, std::string_view text);

}  // namespace ulnet::tools::lab
