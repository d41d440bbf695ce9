// Answers of a host to the questions of verify: any text gives observations or a reason, each ping
// has its entry, and any observation gives a verdict about hosts of the plan.
#include <nlohmann/json.hpp>

#include "fgr/hosts/answers.h"
#include "fgr/hosts/verify_fixture.h"
#include "input.h"
#include "lnet/base/printable.h"

using namespace ulnet;
using tools::fgr::two_ssus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the host.
  const std::size_t host = data[0] % two_ssus().hosts.size();
  const std::string_view answer = fuzz::text_of(data, size).substr(1);
  const auto tree = tools::fgr::tree_of_yaml(answer);
  if (!tree) {
    ULNET_ASSERT(!tree.error().reason.empty());
    return 0;
  }
  const std::string complaint = tools::fgr::complaint_in(*tree);
  ULNET_ASSERT(text::printable(complaint) == complaint);
  std::vector<plan::HostSeen> seen(two_ssus().hosts.size());
  if (auto said = tools::fgr::host_seen(*tree)) seen[host] = std::move(*said);
  const auto& targets = two_ssus().pings[host];
  if (auto pings = tools::fgr::pings_seen(targets, *tree, answer)) {
    ULNET_ASSERT(pings->size() == targets.size());
    for (const plan::SeenPing& ping : *pings)
      ULNET_ASSERT(text::printable(ping.trouble) == ping.trouble);
    seen[host].pings = std::move(*pings);
  }
  for (const auto& suspect : plan::diagnose(two_ssus(), seen, {}).suspects) {
    ULNET_ASSERT(!suspect.cause.empty() && !suspect.what.empty() && !suspect.cure.empty());
    for (const std::string& name : suspect.hosts) ULNET_ASSERT(two_ssus().find(name));
  }
  return 0;
}
