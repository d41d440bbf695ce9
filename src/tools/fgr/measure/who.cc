#include "tools/fgr/measure/who.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "tools/fgr/lab/site_in_lab.h"
#include "tools/lab/live/nodes.h"
#include "tools/ulst/ids.h"
#include "tools/ulst/standalone.h"

namespace ulnet::tools::fgr {
namespace {

std::string id_text(const Nid& nid) { return ProcessId{nid, Pid::lustre()}.to_string(); }

/// By the net of one of them; of nobody else's clients is known whom they reach.
std::optional<std::size_t> system_of(const plan::Site& site, NetId net) {
  const auto at = std::ranges::find(site.clients, net, &plan::ClientSystem::net);
  if (at == site.clients.end()) return std::nullopt;
  return static_cast<std::size_t>(at - site.clients.begin());
}

Result<Measurers> in_laboratory(const plan::Plan& plan, const std::vector<std::string>& from,
                                const ConsoleWish& wish) {
  auto in = site_in_lab(plan, wish.lab);
  if (!in) return tl::unexpected(in.error());
  const lab::Topology& topology = in->lab.topology;
  std::vector<std::string> words = from;
  if (words.empty())
    for (const plan::NamedClient& client : in->clients) words.push_back(client.name);
  const auto clients = lab::nodes_of_words(topology, words);
  if (!clients) return tl::unexpected(clients.error());
  Measurers found;
  for (const lab::NodeNumber node : *clients) {
    const Nid nid = topology.nid_of(topology.nodes[node].rails.front());
    const auto system = system_of(in->plan.site, nid.net());
    if (found.from.empty()) found.system = system;
    if (system != found.system)
      return fail(-EINVAL,
                  fmt::format("clients of {} and {} do not reach each other: measure from one "
                              "system at a time (--from {})",
                              plan.site.clients[found.system.value_or(0)].name,
                              plan.site.clients[system.value_or(0)].name,
                              plan.site.clients[found.system.value_or(0)].name));
    found.from.push_back(id_text(nid));
  }
  found.control = wish.control.empty() ? in->lab.home.socket(topology.nodes[clients->front()].name)
                                       : wish.control;
  found.id_of = [there = std::move(in->plan)](const plan::Oss& oss) {
    return id_text(plan::nid_of(there, oss));
  };
  return found;
}

}  // namespace

Result<Measurers> measurers_of(const plan::Plan& plan, const std::vector<std::string>& from,
                               const ConsoleWish& wish) {
  if (!wish.lab.empty()) return in_laboratory(plan, from, wish);
  Measurers found{
      .from = {},
      .id_of = [&plan](const plan::Oss& oss) { return id_text(plan::nid_of(plan, oss)); },
      .control = wish.control};
  for (const std::string& word : from) {
    if (const auto net = NetId::parse(std::string_view(word).substr(word.rfind('@') + 1)))
      found.system = system_of(plan.site, *net);
    const auto ids = lst::expand_ids(word);
    if (!ids) return tl::unexpected(ids.error());
    for (const std::string& id : *ids)
      if (std::ranges::find(found.from, id) == found.from.end()) found.from.push_back(id);
  }
  return found;
}

Result<std::unique_ptr<lst::ConsoleDoor>> console_for(const ConsoleWish& wish,
                                                      const Measurers& measurers) {
  if (!wish.standalone) return lst::console_of_node(measurers.control);
  lst::StandaloneOptions options{.networks = wish.nets, .params = {}};
  for (const std::string& param : wish.params) {
    const std::size_t equals = param.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(-EINVAL, "--set " + param + ": it is followed by NAME=VALUE");
    options.params[param.substr(0, equals)] = param.substr(equals + 1);
  }
  return lst::standalone_console(options);
}

}  // namespace ulnet::tools::fgr
