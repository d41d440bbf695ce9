#include "fgr/check/check.h"
#include "fgr/verify/verify.h"

namespace ulnet::plan {

std::vector<Finding> check_fabric(const Plan& plan) {
  if (!plan.fabric) return {};
  std::vector<Finding> findings = plan.fabric->unchecked;
  const VerifyChecks checks = checks_of(plan, {});
  const std::vector<HostSeen> nobody(checks.hosts.size());
  for (VerifySuspect& suspect : diagnose(checks, nobody, plan.fabric->cables).suspects)
    findings.push_back(
        make_finding(Rule::kOtherCable, {}, suspect.hosts.front(), std::move(suspect.what),
                     "In the fabric " + suspect.cure + ", or correct 'switch' in the site file."));
  return findings;
}

}  // namespace ulnet::plan
