#include "fgr/site/new_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "fgr/plan/kinds.h"
#include "fgr/plan/options.h"
#include "lnet/wire/text.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::uint32_t kOsssPerGroup = plan::kSonexionSsusPerRack / 2;

/// Returns "10.10.100.[101-104]": `count` addresses that differ in the last number only.
std::string addresses_text(plan::Address first, std::uint32_t count) {
  if (count == 1) return plan::words_of({first});
  const std::string text = plan::words_of({first});
  return fmt::format("{}.[{}-{}]", text.substr(0, text.rfind('.')), first & 0xff,
                     (first & 0xff) + count - 1);
}

/// Returns the first router's address by the rule of NewSite::first_router, after this number of
/// servers.
std::optional<plan::Address> router_after(plan::Address first_server, std::uint32_t servers) {
  constexpr plan::Address kUsual = 101;
  const plan::Address begin = first_server & ~0xffU, end = first_server + servers;
  return end <= begin + kUsual ? begin + kUsual : ((end + 0xff) & ~0xffU) + 1;
}

class Writer {
 public:
  Writer(const NewSite& facts, plan::Address first_router, std::uint32_t first_nid, bool numbers)
      : facts_(facts), address_(first_router), nid_(first_nid), numbers_(numbers) {}

  std::string text(std::uint32_t routers_per_group) {
    const std::uint32_t osss = facts_.ssus * 2;
    std::string text = fmt::format(
        "# Written by 'ulnet-fgr new'. Check what it could not know: the routers' host names, "
        "places\n"
        "# ('at'), NIDs on the clients' net, addresses on the servers' fabric, and switches.\n"
        "about: {} SSU{} and their routers\n"
        "clients:\n"
        "    {}:\n"
        "        net: {}\n"
        "        addresses: \"{}\"\n"
        "        kind: {}\n"
        "        routers:\n",
        facts_.ssus, facts_.ssus == 1 ? "" : "s", facts_.clients, facts_.client_net.to_string(),
        facts_.client_addresses, facts_.router_kind);
    for (std::uint32_t i = 0; i < facts_.metadata_routers; ++i)
      add_routers(text, 1, i % 2 == 0 ? "left0" : "right0", true);
    const std::uint32_t per_rack = 2 * plan::kSonexionSsusPerRack;
    for (std::uint32_t rack = 0; rack * per_rack < osss; ++rack) {
      const std::uint32_t each_side = std::min(osss - rack * per_rack, per_rack) / 2;
      const std::uint32_t groups = (each_side + kOsssPerGroup - 1) / kOsssPerGroup;
      for (const char* side : {"left", "right"})
        for (std::uint32_t i = 0; i < groups; ++i)
          add_routers(text, routers_per_group, fmt::format("{}{}", side, rack), false);
    }
    return text + fmt::format(
                      "file systems:\n"
                      "    {}:\n"
                      "        cluster: {}\n"
                      "        net: {}\n{}"
                      "        kind: sonexion-1600\n"
                      "        SSUs: {}\n"
                      "        first address: {}\n"
                      "        OSSs per group: {}\n"
                      "        routers per group: {}\n"
                      "        secondary routes: yes\n",
                      facts_.file_system, facts_.cluster, facts_.net.to_string(),
                      facts_.net_among_servers ? fmt::format("        net among servers: {}\n",
                                                             facts_.net_among_servers->to_string())
                                               : "",
                      facts_.ssus, facts_.first_server, kOsssPerGroup, routers_per_group);
  }

  /// Whether there were enough addresses and NIDs. False: the last assigned address or NID wrapped
  /// around.
  bool sufficed() const { return sufficed_; }

 private:
  /// Adds `count` routers in one line, or in several if the addresses cross the end of a last
  /// number.
  void add_routers(std::string& text, std::uint32_t count, const std::string& at, bool metadata) {
    while (count > 0) {
      std::uint32_t some = std::min(count, 256 - (address_ & 0xff));
      if (!numbers_) some = std::min(some, 256 - (nid_ & 0xff));
      const std::string numbers = some == 1
                                      ? fmt::format("{:05}", number_)
                                      : fmt::format("[{:05}-{:05}]", number_, number_ + some - 1);
      const std::string nids = !numbers_   ? addresses_text(nid_, some)
                               : some == 1 ? std::to_string(nid_)
                                           : fmt::format("[{}-{}]", nid_, nid_ + some - 1);
      text += fmt::format(
          "            - {{host: \"router{}\", nid: \"{}\", address: \"{}\", switch: {}{}}}\n",
          numbers, nids, addresses_text(address_, some), at, metadata ? ", for: metadata" : "");
      sufficed_ = sufficed_ && address_ + some > address_ && nid_ + some > nid_;
      address_ += some;
      nid_ += some;
      number_ += some;
      count -= some;
    }
  }

  const NewSite& facts_;
  plan::Address address_;
  std::uint32_t nid_, number_ = 1;
  const bool numbers_;
  bool sufficed_ = true;
};

}  // namespace

Result<std::string> new_site(const NewSite& facts) {
  const auto server = wire::text::ip4(facts.first_server);
  if (!server) return fail(-EINVAL, "'" + facts.first_server + "' is no IPv4 address");
  const auto address = facts.first_router.empty() ? router_after(*server, 2 + 2 * facts.ssus)
                                                  : wire::text::ip4(facts.first_router);
  if (!address) return fail(-EINVAL, "'" + facts.first_router + "' is no IPv4 address");
  const auto gb_per_s = plan::bandwidth_of(plan::router_kinds(), facts.router_kind);
  if (!gb_per_s)
    return fail(-EINVAL, "'" + facts.router_kind +
                             "' is no known kind of router: xe, xc30-single-hca, xc30-dual-hca");
  const auto* const name = wire::text::name_of(facts.client_net.type);
  const bool numbers = name != nullptr && name->form == wire::text::Form::kNumber;
  std::optional<std::uint32_t> nid = numbers ? 1U : 10U << 24 | 128U << 16 | 1U;
  if (!facts.first_nid.empty())
    nid = numbers ? wire::text::address_number(facts.first_nid) : wire::text::ip4(facts.first_nid);
  if (!nid) return fail(-EINVAL, "'" + facts.first_nid + "' is no address on the clients' net");
  Writer writer(facts, *address, *nid, numbers);
  auto text = writer.text(plan::routers_for(
      kOsssPerGroup, *gb_per_s, *plan::bandwidth_of(plan::oss_kinds(), "sonexion-1600")));
  if (!writer.sufficed())
    return fail(-ERANGE, "the routers' addresses would go beyond the last one");
  return text;
}

}  // namespace ulnet::tools::fgr
