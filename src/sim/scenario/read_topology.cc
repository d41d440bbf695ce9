// Reads links and nodes of a scenario file.
#include <algorithm>
#include <iterator>

#include "lnet/config/params.h"
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

using core::NetTunables;

constexpr std::uint32_t kMaxNodes = 100'000;

void read_model(const conf::YamlNode& map, LinkModel& model, conf::Problems& mistakes) {
  text::Fields fields(map, "a link", mistakes);
  fields.duration("delay", model.delay);
  fields.duration("jitter", model.jitter);
  fields.rate("bandwidth", model.bytes_per_second);
  fields.chance("loss", model.loss_ppm);
  fields.chance("duplication", model.duplicate_ppm);
  fields.chance("reordering", model.reorder_ppm);
  fields.duration("late by", model.reorder);
  fields.duration("retransmit", model.retransmit);
  fields.duration("retransmit at most", model.retransmit_max);
}

}  // namespace

// ---- links --------------------------------------------------------------------------------------

void Reading::read_links(const conf::YamlNode& section) {
  if (!section.is_map()) return wrong(section, "links: expected 'name: {delay: ...}' lines");
  // The default is read first: it supplies the values that the other links do not set.
  if (const auto* usual = section.find("default")) read_model(*usual, scenario.link, mistakes);
  for (const auto& [name, map] : section.entries) {
    if (models_.contains(name)) wrong(map, "link '" + name + "' twice");
    LinkModel& model = models_[name] = scenario.link;
    if (name != "default") read_model(map, model, mistakes);
  }
}

void Reading::read_streams(const conf::YamlNode& section) {
  text::Fields fields(section, "streams", mistakes);
  std::uint64_t bytes = scenario.streams.window;
  const auto size = [&](std::string_view key, std::uint32_t& out) {
    std::string text;
    if (!fields.text(key, text)) return;
    const auto value = text::parse_bytes(text);
    if (!value || *value == 0 || *value > (1U << 30))
      return wrong(section, std::string(key) + ": '" + text + "' is not a size from 1 to 1GiB");
    out = static_cast<std::uint32_t>(bytes = *value);
  };
  size("window", scenario.streams.window);
  size("piece", scenario.streams.piece);
  fields.chance("split", scenario.streams.split_ppm);
  fields.chance("short", scenario.streams.short_ppm);
  fields.duration("dial retry", scenario.streams.dial_retry);
  fields.duration("dial limit", scenario.streams.dial_limit);
}

void Reading::read_between(const conf::YamlNode& section) {
  each(section, "{from: A, to: B, link: NAME}", [&](const conf::YamlNode& item) {
    text::Fields fields(item, "between", mistakes);
    const Numbers from = nodes_named(fields, "from");
    const Numbers to = nodes_named(fields, "to");
    bool both = true;
    fields.truth("both", both);
    const conf::YamlNode* link = fields.need("link");
    if (link == nullptr) return;
    const auto model = models_.find(link->text);
    if (model == models_.end()) return wrong(*link, "unknown link '" + link->shown() + "'");
    bool any = from.empty() || to.empty();
    for (const NodeNumber a : from)
      for (const NodeNumber b : to) {
        if (a == b) continue;
        any = true;
        scenario.links.push_back({a, b, model->second});
        if (both) scenario.links.push_back({b, a, model->second});
      }
    if (!any) wrong(item, "a link from a node to itself");
  });
}

// ---- nodes --------------------------------------------------------------------------------------

bool Reading::driver_named(text::Fields& fields, DriverKind& out) {
  std::string word;
  if (!fields.text("edge", word)) return false;
  if (word != "tcp" && word != "pipe")
    wrong(fields.map(), "edge: '" + word + "' is neither tcp nor pipe");
  out = word == "tcp" ? DriverKind::kSock : DriverKind::kPipe;
  return true;
}

void Reading::read_nodes(const conf::YamlNode& section) {
  each(section, "{name: NAME, nids: [NID, ...]}",
       [&](const conf::YamlNode& item) { read_node(item); });
  if (section.is_sequence() && section.items.empty()) wrong(section, "a world without nodes");
}

void Reading::read_node(const conf::YamlNode& item) {
  text::Fields fields(item, "a node", mistakes);
  NodeSetup setup;
  setup.driver = driver;
  driver_named(fields, setup.driver);
  const bool named = fields.need("name") != nullptr && fields.text("name", setup.name);
  std::uint32_t count = 1;
  const bool counted = fields.number("count", count, 1U, kMaxNodes);
  fields.duration("handler delay", setup.handler_delay);
  fields.number("partitions", setup.partitions, 1U, limits::kMaxCpts);
  fields.duration("letter delay", setup.shard_msg_delay);
  if (const auto* nids = fields.need("nids")) read_nids(*nids, setup);
  read_node_switch(fields, setup);
  read_routing(fields, setup);
  if (const auto* settings = fields.take("settings")) read_settings(*settings, setup);
  NiSetup ni;
  NetTunables& tunables = ni.tunables;
  fields.number("credits", tunables.credits, 1, 65536);
  fields.number("peer_credits", tunables.peer_credits, 1, 65536);
  fields.number("peer_buffer_credits", tunables.peer_buffer_credits, 0, 65536);
  fields.number("peer_timeout", tunables.peer_timeout, -1, 1'000'000);
  fields.number("conns_per_peer", ni.conns_per_peer, 1, 127);
  fields.duration("lnd_timeout", ni.lnd_timeout);
  fields.duration("service", ni.service);
  if (ni.service != Duration{} && setup.driver != DriverKind::kPipe)
    wrong(item, "service: only interfaces of the edge pipe have one");
  if (tunables.peer_credits > tunables.credits) wrong(item, "peer_credits above credits");
  for (NiSetup& each : setup.nis) {
    ni.nid = each.nid;
    ni.at_switch = each.at_switch;
    each = ni;
  }
  note_hanging(item, setup);
  check_routes(item, setup);
  if (named && !setup.nis.empty()) add_nodes(item, std::move(setup), count, counted);
}

void Reading::read_nids(const conf::YamlNode& list, NodeSetup& setup) {
  const auto add = [&](const conf::YamlNode& text) {
    const auto nid = Nid::parse(text.shown());
    if (!nid) return wrong(text, nid.error().reason);
    if (nid->is_any() || nid->is_loopback())
      return wrong(text, text.shown() + " cannot be given to a node");
    if (setup.driver == DriverKind::kSock && nid->net().type != NetType::kTcp)
      return wrong(text, text.shown() + ": the tcp edge carries tcp nets only");
    setup.nis.push_back({.nid = *nid});
  };
  if (list.is_scalar()) return add(list);
  if (!list.is_sequence() || list.items.empty()) return wrong(list, "a node without NIDs");
  for (const conf::YamlNode& item : list.items) add(item);
}

void Reading::read_settings(const conf::YamlNode& map, NodeSetup& setup) {
  if (!map.is_map()) return wrong(map, "settings: expected 'name: value' lines");
  for (const conf::YamlEntry& entry : map.entries) {
    const std::string& name = entry.key;
    const conf::YamlNode& value = entry.value;
    const conf::GlobalSetting* global = conf::find_global(name);
    if (global == nullptr) {
      const auto set = lnd::sock::set_tunable(setup.sock, name, value.shown());
      if (!set && set.error().code == -ENOENT) wrong(value, "unknown setting '" + name + "'");
      if (!set && set.error().code != -ENOENT) wrong(value, set.error().reason);
      continue;
    }
    const auto number = value.as_int();
    if (!number || !global->has(*number))
      wrong(value, name + ": '" + value.shown() + "' is not a value of it");
    else
      setup.globals.*global->field = static_cast<std::int32_t>(*number);
  }
  if (setup.globals.retry_count >= setup.globals.transaction_timeout)
    wrong(map, "retry_count must be less than transaction_timeout");
}

void Reading::add_nodes(const conf::YamlNode& item, NodeSetup setup, std::uint32_t count,
                        bool counted) {
  const std::string name = setup.name;
  if (name == "all" || groups_.contains(name)) return wrong(item, "node '" + name + "' twice");
  if (scenario.nodes.size() + count > kMaxNodes)
    return wrong(item, "more than " + std::to_string(kMaxNodes) + " nodes");
  Numbers numbers;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto number = static_cast<NodeNumber>(scenario.nodes.size());
    numbers.push_back(number);
    groups_["all"].push_back(number);
    NodeSetup one = setup;
    if (counted) {
      one.name = name + std::to_string(i);
      if (!groups_.emplace(one.name, Numbers{number}).second)
        return wrong(item, "node '" + one.name + "' twice");
      for (NiSetup& ni : one.nis) {
        if (!ni.nid.is_small()) return wrong(item, "count needs NIDs of four bytes");
        ni.nid = Nid::small(ni.nid.net(), ni.nid.address4() + i);
      }
    }
    scenario.nodes.push_back(std::move(one));
  }
  groups_[name] = std::move(numbers);
}

void Reading::check_topology(const conf::YamlNode& section) {
  std::map<std::string, std::string> owners;
  std::map<NetId, DriverKind> drivers;
  for (const NodeSetup& node : scenario.nodes)
    for (const NiSetup& ni : node.nis) {
      // An address is one place on the wire, so only one NI may have it, whatever its net.
      const std::string nid = ni.nid.to_string();
      const std::string address = nid.substr(0, nid.find('@'));
      const auto [owner, fresh] = owners.emplace(address, node.name);
      if (!fresh)
        wrong(section, owner->second == node.name
                           ? node.name + " has address " + address + " twice"
                           : owner->second + " and " + node.name + " both have address " + address);
      const auto [driver_of, first] = drivers.emplace(ni.nid.net(), node.driver);
      if (!first && driver_of->second != node.driver)
        wrong(section, "net " + ni.nid.net().to_string() + " has nodes of both edges");
    }
}

// ---- names --------------------------------------------------------------------------------------

std::vector<NodeNumber> Reading::nodes_named(text::Fields& fields, std::string_view key,
                                             bool needed) {
  const conf::YamlNode* names = needed ? fields.need(key) : fields.take(key);
  Numbers numbers;
  if (names == nullptr) return numbers;
  if (!names->is_sequence()) resolve(*names, numbers);
  for (const conf::YamlNode& name : names->items) resolve(name, numbers);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void Reading::resolve(const conf::YamlNode& name, Numbers& out) {
  const auto group = groups_.find(name.text);
  if (!name.is_scalar() || group == groups_.end())
    return wrong(name, "unknown node '" + name.shown() + "'");
  out.insert(out.end(), group->second.begin(), group->second.end());
}

bool Reading::reaches(NodeNumber a, NodeNumber b) const {
  const auto& routed = scenario.nodes[a].routes->nets();
  for (const NiSetup& other : scenario.nodes[b].nis) {
    if (routed.contains(other.nid.net())) return true;
    for (const NiSetup& one : scenario.nodes[a].nis)
      if (one.nid.net() == other.nid.net()) return true;
  }
  return false;
}

}  // namespace ulnet::sim
