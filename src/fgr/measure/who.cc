#include "fgr/measure/who.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "fgr/lab/site_in_lab.h"
#include "lab/live/nodes.h"
#include "selftest/ulst/ids.h"
#include "selftest/ulst/standalone.h"

namespace ulnet::tools::fgr {
namespace {

/// Returns the system of clients that has all these NIDs on its net.
std::optional<std::size_t> system_of(const plan::Site& site, const std::vector<std::string>& ids) {
  std::optional<std::size_t> found;
  for (const std::string& id : ids) {
    const auto process = ProcessId::parse(id);
    const auto system = std::ranges::find_if(site.clients, [&](const plan::ClientSystem& each) {
      return process && process->nid.net() == each.net;
    });
    if (system == site.clients.end()) return std::nullopt;
    const auto number = static_cast<std::size_t>(system - site.clients.begin());
    if (found.value_or(number) != number) return std::nullopt;
    found = number;
  }
  return found;
}

std::string id_text(const Nid& nid) { return ProcessId{nid, Pid::lustre()}.to_string(); }

Result<Measurers> in_laboratory(const plan::Plan& plan, const std::vector<std::string>& from,
                                const ConsoleOptions& console_options) {
  auto in = site_in_lab(plan, console_options.lab);
  if (!in) return tl::unexpected(in.error());
  const lab::Topology& topology = in->lab.topology;
  std::vector<std::string> words = from;
  if (words.empty())
    for (const plan::NamedClient& client : in->clients) words.push_back(client.name);
  const auto clients = lab::nodes_of_words(topology, words);
  if (!clients) return tl::unexpected(clients.error());
  Measurers found;
  for (const lab::NodeNumber node : *clients)
    found.from.push_back(id_text(topology.nid_of(topology.nodes[node].rails.front())));
  found.system = system_of(in->plan.site, found.from);
  if (!found.system && in->plan.site.clients.size() > 1)
    return fail(-EINVAL, fmt::format("clients of several systems do not reach each other: measure "
                                     "from one at a time, as --from {}",
                                     topology.nodes[clients->front()].group));
  found.control = console_options.control.empty()
                      ? in->lab.home.socket(topology.nodes[clients->front()].name)
                      : console_options.control;
  found.id_of = [there = std::move(in->plan)](const plan::Oss& oss) {
    return id_text(plan::nid_of(there, oss));
  };
  return found;
}

}  // namespace

Result<Measurers> measurers_of(const plan::Plan& plan, const std::vector<std::string>& from,
                               const ConsoleOptions& console_options) {
  if (!console_options.lab.empty()) return in_laboratory(plan, from, console_options);
  Measurers found{
      .from = {},
      .system = {},
      .id_of = [&plan](const plan::Oss& oss) { return id_text(plan::nid_of(plan, oss)); },
      .control = console_options.control};
  for (const std::string& word : from) {
    const auto ids = lst::expand_ids(word);
    if (!ids) return tl::unexpected(ids.error());
    for (const std::string& id : *ids)
      if (std::ranges::find(found.from, id) == found.from.end()) found.from.push_back(id);
  }
  found.system = system_of(plan.site, found.from);
  return found;
}

Result<std::unique_ptr<lst::ConsoleClient>> console_for(const ConsoleOptions& console_options,
                                                        const Measurers& measurers) {
  if (!console_options.standalone) return lst::console_of_node(measurers.control);
  lst::StandaloneOptions options{.networks = console_options.nets, .params = {}};
  for (const std::string& param : console_options.params) {
    const std::size_t equals = param.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(-EINVAL, "--set " + param + ": it is followed by NAME=VALUE");
    options.params[param.substr(0, equals)] = param.substr(equals + 1);
  }
  return lst::standalone_console(options);
}

}  // namespace ulnet::tools::fgr
