// The checks of `ulnet-fgr check`: a site, its plan and existing files become findings by the rules
// of rules.h. Source: docs/FGR.md, "Rules"; design document 004, sections II and III.A.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fgr/check/actual.h"
#include "fgr/plan/planned.h"
#include "fgr/plan/rules.h"
#include "lnet/base/limits.h"

namespace ulnet::plan {

struct Finding {
  Rule rule;
  Severity severity;
  std::string file;  ///< empty: it is about the site
  Spot spot;
  std::string where;    ///< in the site: "home, group 004"; of a file empty
  std::string subject;  ///< the host, client system or file system that it is about; may be empty
  std::string what;     ///< a sentence without its end
  std::string cure;     ///< an imperative sentence

  bool operator==(const Finding&) const = default;
};

/// What a node and a module parameter hold.
struct CheckLimits {
  std::size_t routes = 65'536;                    ///< of a host (lnet/config/routes_text.h)
  std::size_t nets = limits::kMaxInterfaces;      ///< of a host
  std::size_t parameter = limits::kParamTextMax;  ///< bytes (docs/spec/cli-lnetctl.md 9.1)
};

// Each gives its findings in the order of the site and of the files, without doubles.

/// What is wrong with a site, and what stands against its plan.
std::vector<Finding> check_site(const Site& site, std::span<const Problem> problems);
/// What is wrong with a plan that can be made.
std::vector<Finding> check_plan(const Planned& planned, const CheckLimits& limits = {});
/// In what the fabric is other than the plan, and what could not be checked by it: what is about
/// the fabric as a whole is in kTheFabric. Nothing when it is not known.
std::vector<Finding> check_fabric(const Plan& plan);
/// In what files are other than planned.
std::vector<Finding> check_files(const Planned& planned, std::span<const Actual> files,
                                 const CheckLimits& limits = {});

}  // namespace ulnet::plan
