// The complete work of `check`: a site file, and existing files. Its findings as text, JSON and
// SARIF 2.1.0.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fgr/check/check.h"
#include "fgr/existing/existing_files.h"

namespace ulnet::tools::fgr {

struct CheckReport {
  std::vector<plan::Finding> findings;
  std::size_t hosts = 0, files = 0, routes = 0;  ///< how many of each were examined

  std::size_t count(plan::Severity severity) const;
};

/// Returns the findings. If the site file or another file cannot be read, returns its mistakes.
/// When a site has no plan, the existing files are not examined.
tl::expected<CheckReport, conf::Problems> check_site_file(const std::string& site,
                                                          const ExistingFilesOptions& options);

/// Does what check_site_file() does, for `text` as the content of the site file `site`.
tl::expected<CheckReport, conf::Problems> check_site_text(const std::string& site,
                                                          const std::string& text,
                                                          const ExistingFilesOptions& options);
/// Makes a report of the findings of plan::check_fabric(). `file` is the file of the plan's fabric.
CheckReport fabric_report(const plan::Plan& plan, const std::string& file);

/// Returns kExitFound if there is an error. Else returns kExitPartly if a finding reports something
/// that was not checked.
int exit_code_of(const CheckReport& report);

/// Returns the first thousand findings as "FILE:line:column: severity: what [FGR001 name]", each
/// with its cure on a line of its own; then a summary: "3 errors, 1 warning", or "good: 12 hosts,
/// 30 files, 400 routes".
std::string text_of(const CheckReport& report);
std::string json_of(const CheckReport& report);
/// Returns the report in the Static Analysis Results Interchange Format, OASIS standard 2.1.0.
std::string sarif_of(const CheckReport& report);
/// Returns a table of all rules.
std::string rules_text();

}  // namespace ulnet::tools::fgr
