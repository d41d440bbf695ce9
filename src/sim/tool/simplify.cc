#include "sim/tool/simplify.h"

#include <algorithm>
#include <memory>
#include <set>

#include "lnet/config/params.h"

namespace ulnet::tools {
namespace {

using namespace ulnet::sim;
using lnd::sock::SockTunables;

/// Sets a value. False: it already has that value.
template <class T>
bool set(T& value, const T& to) {
  if (value == to) return false;
  value = to;
  return true;
}

/// A change of the node `number`.
template <class Entry>
Change of_entry(std::vector<Entry> Scenario::*list, std::size_t at,
                std::function<bool(std::type_identity_t<Entry>&)> change) {
  return [=](Scenario& scenario) {
    return at < (scenario.*list).size() && change((scenario.*list)[at]);
  };
}

Change of_node(NodeNumber number, std::function<bool(NodeSetup&)> change) {
  return of_entry(&Scenario::nodes, number, std::move(change));
}

Change of_each_ni(NodeNumber number, std::function<bool(NiSetup&)> change) {
  return of_node(number, [change = std::move(change)](NodeSetup& node) {
    bool any = false;
    for (NiSetup& ni : node.nis) any |= change(ni);
    return any;
  });
}

/// Removes the routes of `node` for which `goes` is true. False: there is no such route.
bool erase_routes(NodeSetup& node, const std::function<bool(const core::Route&)>& goes) {
  core::RouteList left = *node.routes;
  for (const auto& [net, routes] : node.routes->nets())
    for (const core::Route& route : routes)
      if (goes(route)) (void)left.del(net, route.gateway);
  if (left.size() == node.routes->size()) return false;
  node.routes = std::make_shared<core::RouteList>(std::move(left));
  return true;
}

/// Deletes the routes through this NID, and the changes of such routes.
void erase_gateway(Scenario& scenario, const Nid& gone) {
  for (NodeSetup& node : scenario.nodes)
    erase_routes(node, [&](const core::Route& route) { return route.gateway == gone; });
  std::erase_if(scenario.acts, [&](const Act& act) {
    if (act.what != Act::What::kAdmin) return false;
    const auto* add = std::get_if<AddRoute>(&act.change);
    const auto* del = std::get_if<DelRoute>(&act.change);
    return (add != nullptr && add->route.gateway == gone) ||
           (del != nullptr && del->gateway == gone);
  });
}

/// Deletes the NI, and the routes through it. False: the node has no other NI.
bool erase_ni(Scenario& scenario, NodeNumber number, std::size_t at) {
  if (number >= scenario.nodes.size()) return false;
  std::vector<NiSetup>& nis = scenario.nodes[number].nis;
  if (nis.size() < 2 || at >= nis.size()) return false;
  const Nid gone = nis[at].nid;
  erase_at(nis, at);
  erase_gateway(scenario, gone);
  for (Act& act : scenario.acts)
    if (act.node == number && (act.ni > at || act.ni >= nis.size())) act.ni -= act.ni == 0 ? 0 : 1;
  return true;
}

/// Removes the node from selftests. A selftest that loses its console, all clients or all servers
/// is deleted.
void erase_from_selftests(Scenario& scenario, NodeNumber gone) {
  const auto renumber = [&](NodeNumber& node) { node -= node > gone ? 1 : 0; };
  std::erase_if(scenario.selftests, [&](SelftestSetup& test) {
    std::erase(test.from, gone);
    std::erase(test.to, gone);
    return test.console == gone || test.from.empty() || test.to.empty();
  });
  for (SelftestSetup& test : scenario.selftests) {
    renumber(test.console);
    std::ranges::for_each(test.from, renumber);
    std::ranges::for_each(test.to, renumber);
  }
}

bool erase_node(Scenario& scenario, NodeNumber gone) {
  if (scenario.nodes.size() <= 2 || gone >= scenario.nodes.size()) return false;
  const auto is_gone = [&](NodeNumber node) { return node == gone; };
  const auto renumber = [&](NodeNumber& node) { node -= node > gone ? 1 : 0; };
  std::erase_if(scenario.acts,
                [&](const Act& act) { return is_gone(act.node) || is_gone(act.other); });
  for (Act& act : scenario.acts) renumber(act.node), renumber(act.other);
  std::erase_if(scenario.links,
                [&](const LinkBetween& link) { return is_gone(link.from) || is_gone(link.to); });
  for (LinkBetween& link : scenario.links) renumber(link.from), renumber(link.to);
  for (LoadSpec& load : scenario.loads)
    for (std::vector<NodeNumber>* list : {&load.from, &load.to}) {
      std::erase(*list, gone);
      for (NodeNumber& node : *list) renumber(node);
    }
  erase_from_selftests(scenario, gone);
  const std::vector<NiSetup> nis = scenario.nodes[gone].nis;
  erase_at(scenario.nodes, gone);
  for (const NiSetup& ni : nis) erase_gateway(scenario, ni.nid);
  return true;
}

// ---- settings

void add_globals(Changes& changes, NodeNumber number) {
  for (const conf::GlobalSetting& setting : conf::all_globals())
    changes.push_back(of_node(number, [field = setting.field](NodeSetup& node) {
      return set(node.globals.*field, core::Globals{}.*field);
    }));
  changes.push_back(of_node(number, [](NodeSetup& node) {
    return set(node.globals.max_answers, core::Globals{}.max_answers);
  }));
  changes.push_back(of_node(number, [](NodeSetup& node) {
    return set(node.globals.portal_rotor, core::Globals{}.portal_rotor);
  }));
}

void add_tunables(Changes& changes, NodeNumber number) {
  const SockTunables usual;
  for (const lnd::sock::NumberTunable& each : lnd::sock::number_tunables())
    changes.push_back(of_node(number, [field = each.field, to = usual.*each.field](
                                          NodeSetup& node) { return set(node.sock.*field, to); }));
  changes.push_back(
      of_node(number, [to = usual.accept](NodeSetup& node) { return set(node.sock.accept, to); }));
  changes.push_back(of_node(number, [to = usual.peer_address_check](NodeSetup& node) {
    return set(node.sock.peer_address_check, to);
  }));
}

/// Gives a member of the node its default.
template <class T>
void add_member(Changes& changes, NodeNumber number, T NodeSetup::*member) {
  changes.push_back(
      of_node(number, [=](NodeSetup& node) { return set(node.*member, NodeSetup{}.*member); }));
}

void add_node(Changes& changes, NodeNumber number) {
  add_globals(changes, number);
  add_tunables(changes, number);
  add_member(changes, number, &NodeSetup::partitions);
  add_member(changes, number, &NodeSetup::shard_msg_delay);
  add_member(changes, number, &NodeSetup::handler_delay);
  add_member(changes, number, &NodeSetup::hold_memory);
  add_member(changes, number, &NodeSetup::no_memory_ppm);
  add_member(changes, number, &NodeSetup::no_descriptor_ppm);
  add_member(changes, number, &NodeSetup::announces_memory);
  add_member(changes, number, &NodeSetup::policies);
  changes.push_back(of_node(
      number, [](NodeSetup& node) { return set(node.routing.buffers, core::Routing{}.buffers); }));
  changes.push_back(
      of_each_ni(number, [](NiSetup& ni) { return set(ni.tunables, core::NetTunables{}); }));
  changes.push_back(of_each_ni(number, [](NiSetup& ni) { return set(ni.conns_per_peer, 1); }));
  changes.push_back(
      of_each_ni(number, [](NiSetup& ni) { return set(ni.lnd_timeout, Duration{}); }));
}

// ---- times

/// Rounds down to a multiple of `unit`. Unless `may_be_zero`, a value of less than one unit stays
/// as it is. False: the value is as before.
template <class Entry>
struct Time {
  Duration Entry::*member;
  bool may_be_zero = false;
};

bool round(Duration& value, Duration unit, bool may_be_zero) {
  const Duration rounded = value / unit * unit;
  const bool zero = rounded == Duration{} && !may_be_zero && value != Duration{};
  return !zero && set(value, rounded);
}

}  // namespace

Changes without_each_node(const Scenario& scenario) {
  Changes changes;
  for (NodeNumber i = 0; i < scenario.nodes.size(); ++i)
    changes.push_back([i](Scenario& s) { return erase_node(s, i); });
  return changes;
}

Changes without_each_net(const Scenario& scenario) {
  std::set<NetId> nets;
  for (const NodeSetup& node : scenario.nodes)
    for (const NiSetup& ni : node.nis) nets.insert(ni.nid.net());
  Changes changes;
  for (const NetId net : nets)
    changes.push_back([net](Scenario& s) {
      bool any = false;
      for (NodeNumber number = 0; number < s.nodes.size(); ++number)
        for (std::size_t i = s.nodes[number].nis.size(); i-- > 0;)
          if (s.nodes[number].nis[i].nid.net() == net) any |= erase_ni(s, number, i);
      return any;
    });
  return changes;
}

Changes without_each_ni(const Scenario& scenario) {
  Changes changes;
  for (NodeNumber number = 0; number < scenario.nodes.size(); ++number)
    for (std::size_t i = 0; i < scenario.nodes[number].nis.size(); ++i)
      changes.push_back([number, i](Scenario& s) { return erase_ni(s, number, i); });
  return changes;
}

Changes without_each_route(const Scenario& scenario) {
  Changes changes;
  for (NodeNumber number = 0; number < scenario.nodes.size(); ++number)
    for (const auto& [net, routes] : scenario.nodes[number].routes->nets())
      for (const core::Route& route : routes)
        changes.push_back(of_node(number, [of_net = net, route](NodeSetup& node) {
          return erase_routes(node, [&](const core::Route& each) {
            return each.net == of_net && each.gateway == route.gateway;
          });
        }));
  return changes;
}

Changes defaults(const Scenario& scenario) {
  Changes changes;
  for (NodeNumber number = 0; number < scenario.nodes.size(); ++number) add_node(changes, number);
  changes.push_back([](Scenario& s) { return set(s.interface_rate, Scenario{}.interface_rate); });
  for (std::size_t i = 0; i < scenario.links.size(); ++i)
    changes.push_back(
        [i](Scenario& s) { return i < s.links.size() && set(s.links[i].model, s.link); });
  const auto add_link = [&](auto LinkModel::*member) {
    changes.push_back([=](Scenario& s) { return set(s.link.*member, LinkModel{}.*member); });
  };
  add_link(&LinkModel::jitter), add_link(&LinkModel::bytes_per_second);
  add_link(&LinkModel::loss_ppm), add_link(&LinkModel::duplicate_ppm);
  add_link(&LinkModel::reorder_ppm), add_link(&LinkModel::reorder);
  const auto add_streams = [&](std::uint32_t StreamModel::*member, std::uint32_t to) {
    changes.push_back([=](Scenario& s) { return set(s.streams.*member, to); });
  };
  add_streams(&StreamModel::window, StreamModel{}.window);
  add_streams(&StreamModel::piece, StreamModel{}.piece);
  add_streams(&StreamModel::split_ppm, 0);
  add_streams(&StreamModel::short_ppm, 0);
  return changes;
}

Changes plainer_loads(const Scenario& scenario) {
  Changes changes;
  const auto add = [&](std::size_t i, std::function<bool(LoadSpec&)> change) {
    changes.push_back(of_entry(&Scenario::loads, i, std::move(change)));
  };
  for (std::size_t i = 0; i < scenario.loads.size(); ++i) {
    add(i, [](LoadSpec& load) { return set(load.window, 1U); });
    add(i, [](LoadSpec& load) { return set(load.unpolled, false); });
    add(i, [](LoadSpec& load) { return set(load.start, Duration{}); });
    add(i, [](LoadSpec& load) { return set(load.min_bytes, load.max_bytes); });
    for (const std::uint32_t bytes : {4096U, 0U})
      add(i, [bytes](LoadSpec& load) {
        if (load.max_bytes <= bytes) return false;
        load.max_bytes = bytes;
        load.min_bytes = std::min(load.min_bytes, bytes);
        return true;
      });
  }
  return changes;
}

Changes plainer_selftests(const Scenario& scenario) {
  Changes changes;
  const auto add = [&](std::size_t i, std::function<bool(SelftestSetup&)> change) {
    changes.push_back(of_entry(&Scenario::selftests, i, std::move(change)));
  };
  const auto fewer = [&](std::size_t i, std::vector<NodeNumber> SelftestSetup::*list,
                         NodeNumber node) {
    add(i, [=](SelftestSetup& test) {
      return (test.*list).size() > 1 && std::erase(test.*list, node) != 0;
    });
  };
  for (std::size_t i = 0; i < scenario.selftests.size(); ++i) {
    for (const NodeNumber node : scenario.selftests[i].from) fewer(i, &SelftestSetup::from, node);
    for (const NodeNumber node : scenario.selftests[i].to) fewer(i, &SelftestSetup::to, node);
    add(i, [](SelftestSetup& test) { return set(test.what, SelftestSetup::What::kPing); });
    add(i, [](SelftestSetup& test) { return set(test.bytes, SelftestSetup{}.bytes); });
    add(i, [](SelftestSetup& test) { return set(test.concurrency, 1U); });
    add(i, [](SelftestSetup& test) { return set(test.keep_going, false); });
    add(i, [](SelftestSetup& test) { return set(test.forgotten, false); });
    add(i, [](SelftestSetup& test) { return set(test.rpc_timeout, SelftestSetup{}.rpc_timeout); });
  }
  return changes;
}

Changes plainer_old_nodes(const Scenario& scenario) {
  Changes changes;
  const auto add = [&](std::size_t i, std::function<bool(OldNodeSetup&)> change) {
    changes.push_back(of_entry(&Scenario::old_nodes, i, std::move(change)));
  };
  for (std::size_t i = 0; i < scenario.old_nodes.size(); ++i) {
    add(i, [](OldNodeSetup& old) { return old.nids.size() > 1 && erase_at(old.nids, 1); });
    add(i, [](OldNodeSetup& old) { return erase_at(old.more_nids, 0); });
    add(i, [](OldNodeSetup& old) { return set(old.back_at, Duration{}); });
    add(i, [](OldNodeSetup& old) {
      old.back_at = {};
      old.more_nids.clear();
      return set(old.change_at, Duration{});
    });
    for (const std::uint32_t bytes : {4096U, 0U})
      add(i, [bytes](OldNodeSetup& old) {
        return set(old.max_bytes, std::min(old.max_bytes, bytes));
      });
  }
  return changes;
}

Changes rounder_times(const Scenario& scenario, Duration unit) {
  Changes changes;
  const auto add = [&]<class Entry>(std::vector<Entry> Scenario::*list,
                                    const std::vector<Time<Entry>>& times) {
    for (std::size_t i = 0; i < (scenario.*list).size(); ++i)
      for (const Time<Entry>& time : times)
        changes.push_back(of_entry(list, i, [=](Entry& entry) {
          return round(entry.*time.member, unit, time.may_be_zero);
        }));
  };
  add(&Scenario::acts, {{&Act::at, true}, {&Act::lasts}});
  add(&Scenario::loads, {{&LoadSpec::start, true}, {&LoadSpec::every}});
  add(&Scenario::selftests, {{&SelftestSetup::start, true}, {&SelftestSetup::lasts}});
  add(&Scenario::old_nodes,
      {{&OldNodeSetup::change_at}, {&OldNodeSetup::back_at}, {&OldNodeSetup::every}});
  changes.push_back([=](Scenario& s) { return round(s.link.delay, unit, false); });
  changes.push_back([=](Scenario& s) { return round(s.lasts, unit, false); });
  return changes;
}

}  // namespace ulnet::tools
