// The whole of `check`: a site file, and existing files.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "fgr/existing/existing_files.h"
#include "fgr/existing/report.h"

namespace ulnet::tools::fgr {

/// The findings; else the lines to be told, with their ends: the site file or another cannot be
/// read. When a site has no plan, the files are not looked at.
tl::expected<CheckReport, std::string> check_site_file(const std::string& site,
                                                       const FilesWish& wish);

/// The same of the text of a site file of this name.
tl::expected<CheckReport, std::string> check_site_text(const std::string& site,
                                                       const std::string& text,
                                                       const FilesWish& wish);

}  // namespace ulnet::tools::fgr
