// The page of `ulnet-lab view`: the build puts page.html into the program.
#pragma once

#include <string_view>

namespace ulnet::tools::lab {

/// Returns the HTML document, with all that it needs.
std::string_view page_html();

}  // namespace ulnet::tools::lab
