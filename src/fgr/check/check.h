// The checks of `ulnet-fgr check`: they apply the rules of rules.h to a site, its plan and existing
// files, and give findings. Source: docs/FGR.md, "Rules"; design document 004, sections II and
// III.A.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fgr/check/actual.h"
#include "fgr/plan/planned.h"
#include "fgr/plan/rules.h"
#include "lnet/base/limits.h"

namespace ulnet::plan {

/// The limits of a node and of a module parameter.
struct CheckLimits {
  std::size_t routes = 65'536;                    ///< per host (lnet/config/routes_text.h)
  std::size_t nets = limits::kMaxInterfaces;      ///< per host
  std::size_t parameter = limits::kParamTextMax;  ///< bytes (docs/spec/cli-lnetctl.md 9.1)
};

// Each function gives its findings in the order of the site and of the files, without duplicates.

/// Finds the mistakes of a site, and the problems that keep it from having a plan.
std::vector<Finding> check_site(const Site& site, std::span<const Finding> problems);
/// Finds the mistakes of a site that has a plan.
std::vector<Finding> check_plan(const Planned& planned, const CheckLimits& limits = {});
/// Finds the differences between the fabric and the plan, and the parts that could not be checked.
/// Findings about the fabric as a whole have kTheFabric as their place. The result is empty when
/// the fabric is not known.
std::vector<Finding> check_fabric(const Plan& plan);
/// Finds the differences between files and the plan.
std::vector<Finding> check_files(const Planned& planned, std::span<const Actual> files,
                                 const CheckLimits& limits = {});

}  // namespace ulnet::plan
