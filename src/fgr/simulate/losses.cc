#include "fgr/simulate/losses.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <vector>

#include "fgr/plan/planned.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::array<std::pair<std::string_view, Loss::What>, 4> kLossWords = {
    {{"router", Loss::What::kRouter},
     {"cable", Loss::What::kCable},
     {"switch", Loss::What::kSwitch},
     {"oss", Loss::What::kOss}}};

template <class Find>
void for_routers(const plan::Site& site, Find&& find) {
  for (std::size_t i = 0; i < site.clients.size(); ++i)
    for (std::size_t k = 0; k < site.clients[i].routers.size(); ++k)
      find(site.clients[i].routers[k], HostPlace{i, k});
}

template <class Find>
void for_osss(const plan::Site& site, Find&& find) {
  for (std::size_t i = 0; i < site.file_systems.size(); ++i)
    for (std::size_t k = 0; k < site.file_systems[i].servers.size(); ++k)
      if (const plan::Server& server = site.file_systems[i].servers[k]; !server.metadata())
        find(server, HostPlace{i, k});
}

/// Adds the loss to `lost`. Returns false if the site has nothing of that name.
bool add_lost(const plan::Site& site, const Loss& loss, Lost& lost) {
  bool found = false;
  const auto insert = [&](std::set<HostPlace>& into, const HostPlace& place) {
    into.insert(place);
    found = true;
  };
  const bool dies = loss.what == Loss::What::kRouter || loss.what == Loss::What::kOss;
  for_routers(site, [&](const plan::Router& router, const HostPlace& place) {
    const bool named = router.host == loss.name || router.physical == loss.name;
    const bool cable = loss.what == Loss::What::kCable && named;
    if (loss.what == Loss::What::kRouter && named) insert(lost.dead_routers, place);
    if (cable || (loss.what == Loss::What::kSwitch && router.at_switch == loss.name))
      insert(lost.cut_routers, place);
  });
  for_osss(site, [&](const plan::Server& server, const HostPlace& place) {
    const bool one = loss.what == Loss::What::kCable || loss.what == Loss::What::kOss;
    if (one && server.host == loss.name) insert(dies ? lost.dead_osss : lost.cut_osss, place);
    if (loss.what == Loss::What::kSwitch && server.at_switch == loss.name)
      insert(lost.cut_osss, place);
  });
  return found;
}

/// Returns the names that a loss of this kind may have.
std::vector<std::string_view> names_for(const plan::Site& site, Loss::What what) {
  std::vector<std::string_view> names;
  const bool cable = what == Loss::What::kCable, at_switch = what == Loss::What::kSwitch;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) names.push_back(name);
  };
  for_routers(site, [&](const plan::Router& router, const HostPlace&) {
    if (at_switch) add(router.at_switch);
    if (!cable && what != Loss::What::kRouter) return;
    add(router.host);
    add(router.physical);
  });
  for_osss(site, [&](const plan::Server& server, const HostPlace&) {
    if (at_switch) add(server.at_switch);
    if (cable || what == Loss::What::kOss) add(server.host);
  });
  return names;
}

std::string not_there(const plan::Site& site, const Loss& loss) {
  constexpr std::string_view kThings[] = {"router", "router or OSS", "switch", "OSS"};
  std::string text =
      fmt::format("the site has no {} {}", kThings[static_cast<std::size_t>(loss.what)],
                  text::quoted(loss.name));
  for (const plan::FileSystem& system : site.file_systems)
    for (const plan::Server& server : system.servers)
      if (server.metadata() && server.host == loss.name)
        return text + ": it is an MGS or MDS, which are not simulated";
  return text + plan::suggestion(loss.name, names_for(site, loss.what));
}

}  // namespace

Result<Loss> parse_loss(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (const auto& [word, what] : kLossWords)
    if (colon != std::string_view::npos && text.substr(0, colon) == word && colon + 1 < text.size())
      return Loss{what, std::string(text.substr(colon + 1))};
  return fail(-EINVAL, "'" + std::string(text) +
                           "' is no loss: router:NAME, cable:HOST, switch:NAME or oss:NAME");
}

Result<Lost> find_lost(const plan::Site& site, std::span<const Loss> losses) {
  Lost lost;
  for (const Loss& loss : losses)
    if (!add_lost(site, loss, lost)) return fail(-ENOENT, not_there(site, loss));
  return lost;
}

}  // namespace ulnet::tools::fgr
