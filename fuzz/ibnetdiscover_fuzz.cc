// Outputs of ibnetdiscover: any text gives cables of hosts of the plan and remarks that can be
// printed, or the reason why it is none; and cables give a verdict about hosts of the plan.
#include <sstream>

#include "base/printable.h"
#include "input.h"
#include "tools/fgr/verify/ibnetdiscover.h"
#include "tools/fgr/verify/verify_fixture.h"

using namespace ulnet;
using tools::fgr::two_ssus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream said{std::string(fuzz::text_of(data, size))};
  const auto fabric = tools::fgr::read_ibnetdiscover(said, two_ssus());
  if (!fabric) {
    ULNET_ASSERT(!fabric.error().reason.empty());
    return 0;
  }
  for (const std::string& remark : fabric->remarks)
    ULNET_ASSERT(!remark.empty() && text::printable(remark) == remark);
  for (const plan::SeenCable& cable : fabric->cables) ULNET_ASSERT(two_ssus().find(cable.host));
  const std::vector<plan::HostSeen> nobody(two_ssus().hosts.size());
  for (const auto& suspect : plan::diagnose(two_ssus(), nobody, fabric->cables).suspects) {
    ULNET_ASSERT(suspect.kind == plan::VerifySuspect::Kind::kCable && !suspect.hosts.empty());
    for (const std::string& host : suspect.hosts) ULNET_ASSERT(two_ssus().find(host));
    for (const std::string& line : suspect.seen) ULNET_ASSERT(text::printable(line) == line);
  }
  return 0;
}
