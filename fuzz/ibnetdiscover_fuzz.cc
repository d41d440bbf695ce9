// Outputs of ibnetdiscover: any text gives a fabric whose names can be printed, or the reason why
// it contains no fabric. A site without switches gets those of the fabric; a plan gets cables of
// its hosts, and findings that can be printed.
#include "fgr/check/check.h"
#include "fgr/fabric/fabric.h"
#include "fgr/hosts/verify_fixture.h"
#include "fgr/plan/hosts_in_fabric.h"
#include "input.h"
#include "lnet/base/printable.h"

using namespace ulnet;
using tools::fgr::two_ssus;

namespace {

void expect_printable(const std::string& text) { ULNET_ASSERT(text::printable(text) == text); }

void look_at_plan(const plan::Plan& plan) {
  for (const plan::SeenCable& cable : plan.fabric->cables)
    ULNET_ASSERT(two_ssus().find(cable.host));
  for (const plan::Finding& finding : plan::check_fabric(plan)) {
    ULNET_ASSERT(!finding.reason.empty() && !finding.hint.empty());
    expect_printable(finding.where + finding.reason + finding.hint);
    ULNET_ASSERT(finding.subject.empty() || two_ssus().find(finding.subject));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto fabric = plan::read_ibnetdiscover(fuzz::text_of(data, size));
  if (!fabric) {
    ULNET_ASSERT(!fabric.error().reason.empty());
    return 0;
  }
  for (const auto& [guid, description] : fabric->switches) expect_printable(description);
  for (const auto& [guid, description] : fabric->adapters) expect_printable(description);
  plan::Plan plan = two_ssus().plan;
  plan.fabric = plan::see_fabric(plan, *fabric);
  look_at_plan(plan);
  plan::Site site = two_ssus().plan.site;
  for (plan::Router& router : site.clients[0].routers) router.at_switch.clear();
  const auto found = plan::make_plan(site, *fabric);
  if (found) return look_at_plan(*found), 0;
  for (const plan::Finding& problem : found.error())
    expect_printable(problem.where + problem.reason + problem.hint);
  return 0;
}
