// Findings as text, JSON and SARIF 2.1.0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgr/check/check.h"

namespace ulnet::tools::fgr {

struct CheckReport {
  std::vector<plan::Finding> findings;
  std::size_t hosts = 0, files = 0, routes = 0;  ///< that were looked at

  std::size_t count(plan::Severity severity) const;
};

/// What `file` says of a plan's fabric: plan::check_fabric().
CheckReport fabric_report(const plan::Plan& plan, const std::string& file);

/// kExitFound with an error; else kExitPartly when a finding says that something was not checked.
int exit_code_of(const CheckReport& report);

/// "FILE:line:column: severity: what [FGR001 name]" and the cure in a line of its own for each of
/// the first thousand, and a summary: "3 errors, 1 warning", or "good: 12 hosts, 30 files, 400
/// routes".
std::string text_of(const CheckReport& report);
std::string json_of(const CheckReport& report);
/// Static Analysis Results Interchange Format, OASIS standard 2.1.0.
std::string sarif_of(const CheckReport& report);
/// A table of all rules.
std::string rules_text();

}  // namespace ulnet::tools::fgr
