#include "tools/fgr/simulate/losses.h"

#include <array>
#include <cerrno>

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
        find(site.file_systems[i], server, HostPlace{i, k});
}

bool is_switch(const plan::FileSystem& system, const std::string& at, const std::string& name) {
  return !at.empty() && (at == name || system.name + "/" + at == name);
}

/// False: there is nothing of that name.
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
    const plan::FileSystem& system = site.file_systems[router.file_system];
    if (loss.what == Loss::What::kRouter && named) insert(lost.dead_routers, place);
    if (cable ||
        (loss.what == Loss::What::kSwitch && is_switch(system, router.at_switch, loss.name)))
      insert(lost.cut_routers, place);
  });
  for_osss(site,
           [&](const plan::FileSystem& system, const plan::Server& server, const HostPlace& place) {
             const bool named = !dies ? loss.what == Loss::What::kCable && server.host == loss.name
                                      : loss.what == Loss::What::kOss && server.host == loss.name;
             if (named) insert(dies ? lost.dead_osss : lost.cut_osss, place);
             if (loss.what == Loss::What::kSwitch && is_switch(system, server.at_switch, loss.name))
               insert(lost.cut_osss, place);
           });
  return found;
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
    if (!add_lost(site, loss, lost))
      for (const auto& [word, what] : kLossWords)
        if (what == loss.what)
          return fail(-ENOENT,
                      "the site has no " +
                          std::string(what == Loss::What::kCable ? "router or OSS" : word) + " '" +
                          loss.name + "'");
  return lost;
}

}  // namespace ulnet::tools::fgr
