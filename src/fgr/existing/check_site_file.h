// The complete work of `check`: a site file, and existing files.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "fgr/existing/existing_files.h"
#include "fgr/existing/report.h"

namespace ulnet::tools::fgr {

/// Returns the findings. If the site file or another file cannot be read, returns its mistakes.
/// When a site has no plan, the existing files are not examined.
tl::expected<CheckReport, conf::Problems> check_site_file(const std::string& site,
                                                          const ExistingFilesOptions& options);

/// Does what check_site_file() does, for `text` as the content of the site file `site`.
tl::expected<CheckReport, conf::Problems> check_site_text(const std::string& site,
                                                          const std::string& text,
                                                          const ExistingFilesOptions& options);

}  // namespace ulnet::tools::fgr
