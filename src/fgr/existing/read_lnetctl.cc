#include <string>
#include <utility>
#include <vector>

#include "admin/conf/route_entry.h"
#include "admin/conf/yaml_design.h"
#include "admin/conf/yaml_in.h"
#include "admin/conf/yaml_items.h"
#include "admin/conf/yaml_ni.h"
#include "admin/conf/yaml_words.h"
#include "fgr/existing/printed_routes.h"
#include "fgr/existing/read_actual.h"
#include "lnet/config/routes.h"
#include "text/yaml_node.h"

namespace ulnet::tools::fgr {
namespace {

using conf::Parsed;
using conf::YamlNode;

class Reader {
 public:
  explicit Reader(plan::Actual& out) : out_(out) {}

  Parsed<void> section(const std::string& key, const YamlNode& value) {
    if (key == "net") return each(key, value, &Reader::net);
    if (key == "ip2nets") return each(key, value, &Reader::rule);
    if (key == "route") return each(key, value, &Reader::route);
    if (key == "routing") routing(value);
    return {};
  }

 private:
  using Method = Parsed<void> (Reader::*)(const YamlNode&, conf::Place);

  Parsed<void> each(const std::string& key, const YamlNode& list, Method method) {
    if (list.is_null()) return {};
    if (!list.is_sequence()) return tl::unexpected(conf::bad_value(key, list));
    for (YamlNode item : list.items) {
      if (auto wrong = conf::not_a_mapping(key, item)) return tl::unexpected(std::move(*wrong));
      if (auto number = conf::take_seq_no(item); !number)
        return tl::unexpected(std::move(number.error()));
      if (auto read = (this->*method)(item, item.place); !read) return read;
    }
    return {};
  }

  Parsed<void> net(const YamlNode& written, conf::Place place) {
    const auto today = conf::todays_net(written);
    if (!today) return tl::unexpected(today.error());
    if (today->is_rule) return rule(today->item, place);
    const auto item = conf::read_net(today->item, notes_);
    if (!item) return tl::unexpected(item.error());
    if (item->net.type == NetType::kLo) return {};
    if (item->nis.empty()) out_.nets.push_back({item->net, {}, {}, place});
    for (const conf::NiItem& ni : item->nis) {
      plan::ActualNet net{item->net, {}, {}, place};
      if (ni.nid)
        net.nids.push_back(*ni.nid);
      else if (auto address = wire::AddressPattern::parse_ip(ni.interface))
        net.patterns.push_back(std::move(*address));
      out_.nets.push_back(std::move(net));
    }
    return {};
  }

  Parsed<void> rule(const YamlNode& item, conf::Place place) {
    const auto rule = conf::read_ip2nets_rule(item, notes_);
    if (!rule) return tl::unexpected(rule.error());
    out_.nets.push_back({rule->net, rule->ip_ranges, {}, place});
    return {};
  }

  Parsed<void> route(const YamlNode& item, conf::Place place) {
    const auto entry = conf::read_route(item, notes_);
    if (!entry) return tl::unexpected(entry.error());
    const auto routes = conf::routes_of(*entry);
    const auto wrong = [&](int code, std::string reason) {
      return tl::unexpected(conf::Problem{item.place, std::move(reason), code});
    };
    if (!routes) return wrong(routes.error().code, routes.error().reason);
    if (out_.routes.size() + routes->size() > conf::kRoutesMax)
      return wrong(-E2BIG, conf::kTooManyRoutes);
    for (const conf::RouteItem& each : *routes)
      out_.routes.push_back({each.net, each.gateway, each.hops, each.priority, place});
    return {};
  }

  /// Reads the value of `routing`, which is a mapping, or a list as `routing show` prints it.
  void routing(const YamlNode& value) {
    const auto take = [&](const YamlNode& map) {
      const YamlNode* const enable = map.find("enable");
      if (enable != nullptr && enable->as_int()) out_.routing = *enable->as_int() != 0;
    };
    if (value.is_map()) take(value);
    for (const YamlNode& item : value.items)
      if (item.is_map()) take(item);
  }

  plan::Actual& out_;
  conf::Problems notes_;
};

/// Puts the routes back where they were cut out. Returns false if there is no empty section at that
/// place.
bool give_back(std::vector<YamlNode>& documents, PrintedRoutes& routes) {
  for (YamlNode& root : documents)
    for (conf::YamlEntry& entry : root.entries)
      if (entry.key == "route" && entry.value.key_place.line == routes.line &&
          entry.value.is_null()) {
        entry.value.kind = YamlNode::Kind::kSequence;
        entry.value.items = std::move(routes.list.items);
        return true;
      }
  return false;
}

}  // namespace

conf::Parsed<void> read_lnetctl(std::string_view text, plan::Actual& out) {
  auto printed = cut_printed_routes(text);
  auto documents = conf::load_yaml(printed ? std::string_view(printed->rest) : text);
  if (printed && !(documents && give_back(*documents, *printed))) documents = conf::load_yaml(text);
  if (!documents) return tl::unexpected(documents.error());
  out.first_rule_counts = true;
  bool nets = false, routes = false, globals = false, empty = true;
  Reader reader(out);
  for (const YamlNode& root : *documents) {
    if (root.is_null()) continue;
    if (!root.is_map())
      return tl::unexpected(conf::Problem{root.place, "expected sections such as 'net:'"});
    for (const conf::YamlEntry& entry : root.entries) {
      empty = false;
      nets = nets || entry.key == "net" || entry.key == "ip2nets";
      routes = routes || entry.key == "route";
      globals = globals || entry.key == "global";
      if (auto read = reader.section(entry.key, entry.value); !read) return read;
    }
  }
  out.has_nets = nets || globals || empty;
  out.has_routes = routes || out.has_nets;
  // If a node has never routed, an export does not mention routing.
  if (nets && globals && !out.routing) out.routing = false;
  return {};
}

}  // namespace ulnet::tools::fgr
