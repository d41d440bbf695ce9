#include "tools/fgr/measure/who.h"

#include <algorithm>
#include <cerrno>

#include "tools/lab/live/nodes.h"
#include "tools/ulst/ids.h"
#include "tools/ulst/standalone.h"

namespace ulnet::tools::fgr {
namespace {

std::string id_text(const Nid& nid) { return ProcessId{nid, Pid::lustre()}.to_string(); }

Result<Measurers> in_laboratory(const plan::Plan& plan, const std::vector<plan::MeasureRun>& runs,
                                const std::vector<std::string>& from, const ConsoleWish& wish) {
  const auto lab = lab::open_lab(wish.lab);
  if (!lab) return tl::unexpected(lab.error());
  const lab::Topology& topology = lab->topology;
  const auto clients = lab::nodes_of_words(topology, from);
  if (!clients) return tl::unexpected(clients.error());
  const auto id_of = [&](lab::NodeNumber node) {
    return id_text(topology.nid_of(topology.nodes[node].rails.front()));
  };
  Measurers found;
  for (const lab::NodeNumber node : *clients) found.from.push_back(id_of(node));
  std::map<std::string, std::string> ids;
  for (const plan::MeasureRun& run : runs)
    for (const plan::Oss& oss : run.osss) {
      const std::string& host = plan::server_of(plan, oss).host;
      const auto node = topology.find_node(host);
      if (!node)
        return fail(-ENOENT, "laboratory " + lab->home.name() + " has no node " + host +
                                 ": is it one of 'ulnet-fgr plan -o'?");
      ids.emplace(host, id_of(*node));
    }
  found.id_of = [&plan, ids = std::move(ids)](const plan::Oss& oss) {
    return ids.at(plan::server_of(plan, oss).host);
  };
  found.control =
      wish.control.empty() ? lab->home.socket(topology.nodes[clients->front()].name) : wish.control;
  return found;
}

}  // namespace

Result<Measurers> measurers_of(const plan::Plan& plan, const std::vector<plan::MeasureRun>& runs,
                               const std::vector<std::string>& from, const ConsoleWish& wish) {
  if (!wish.lab.empty()) return in_laboratory(plan, runs, from, wish);
  Measurers found{
      .from = {},
      .id_of = [&plan](const plan::Oss& oss) { return id_text(plan::nid_of(plan, oss)); },
      .control = wish.control};
  for (const std::string& word : from) {
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
