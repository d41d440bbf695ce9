// Site files of ulnet-fgr: any text gives a site or mistakes with their places; a site gives a plan
// or the reasons against one, and a plan gives all its files.
#include "fgr/plan/outputs.h"
#include "fgr/site/site_file.h"
#include "input.h"

using namespace ulnet;

namespace {

/// Larger sites show nothing new, and each run of one takes long.
constexpr std::size_t kSmall = 300;

bool is_small(const plan::Site& site) {
  std::size_t hosts = 0;
  for (const plan::ClientSystem& clients : site.clients) hosts += clients.routers.size();
  for (const plan::FileSystem& system : site.file_systems) hosts += system.servers.size();
  return hosts * site.clients.size() <= kSmall;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto site = tools::fgr::read_site(fuzz::text_of(data, size));
  if (!site) {
    ULNET_ASSERT(!site.error().empty());
    for (const conf::Problem& mistake : site.error()) ULNET_ASSERT(!mistake.reason.empty());
    return 0;
  }
  if (!is_small(*site)) return 0;
  const auto plan = plan::make_plan(std::move(*site));
  if (!plan) {
    ULNET_ASSERT(!plan.error().empty());
    return 0;
  }
  for (const plan::Group& group : plan->groups)
    ULNET_ASSERT(group.routers.size() == plan->site.clients.size());
  ULNET_ASSERT(plan::outputs_of(*plan, {.clients_of_each = 1}).size() >= 10);
  return 0;
}
