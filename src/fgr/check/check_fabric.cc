#include "fgr/check/check.h"
#include "fgr/check/check_parts.h"
#include "fgr/verify/verify.h"

namespace ulnet::plan {
namespace {

Finding finding_of(const Problem& problem) {
  Finding finding = make_finding(problem.rule, problem.what, problem.cure);
  finding.where = problem.where;
  finding.subject = problem.subject;
  return finding;
}

}  // namespace

std::vector<Finding> check_fabric(const Plan& plan) {
  std::vector<Finding> findings;
  if (!plan.fabric) return findings;
  for (const Problem& problem : plan.fabric->unchecked) findings.push_back(finding_of(problem));
  const VerifyChecks checks = checks_of(plan, {});
  const std::vector<HostSeen> nobody(checks.hosts.size());
  for (VerifySuspect& suspect : diagnose(checks, nobody, plan.fabric->cables).suspects) {
    Finding& made = findings.emplace_back(make_finding(Rule::kOtherCable, std::move(suspect.what)));
    made.subject = suspect.hosts.front();
    made.cure = "In the fabric " + suspect.cure + ", or correct 'switch' in the site file.";
  }
  return findings;
}

}  // namespace ulnet::plan
