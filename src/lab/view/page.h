// The page of `ulnet-lab view`, which page.html has and the build puts into the program.
#pragma once

#include <string_view>

namespace ulnet::tools::lab {

/// The HTML document, with all that it needs.
std::string_view page_html();

}  // namespace ulnet::tools::lab
