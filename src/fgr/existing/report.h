// Findings as text, JSON and SARIF 2.1.0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgr/check/check.h"

namespace ulnet::tools::fgr {

struct CheckReport {
  std::vector<plan::Finding> findings;
  std::size_t hosts = 0, files = 0, routes = 0;  ///< numbers that were examined

  std::size_t count(plan::Severity severity) const;
};

/// The findings about a plan's fabric in `file`: plan::check_fabric().
CheckReport fabric_report(const plan::Plan& plan, const std::string& file);

/// kExitFound with an error; else kExitPartly when a finding reports something that was not
/// checked.
int exit_code_of(const CheckReport& report);

/// "FILE:line:column: severity: what [FGR001 name]", with the cure on a line of its own, for the
/// first thousand findings; then a summary: "3 errors, 1 warning", or "good: 12 hosts, 30 files,
/// 400 routes".
std::string text_of(const CheckReport& report);
std::string json_of(const CheckReport& report);
/// Static Analysis Results Interchange Format, OASIS standard 2.1.0.
std::string sarif_of(const CheckReport& report);
/// A table of all rules.
std::string rules_text();

}  // namespace ulnet::tools::fgr
