#include "conf/yaml_in.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "conf/params.h"
#include "conf/yaml_ni.h"
#include "conf/yaml_node.h"

namespace ulnet::conf {

namespace {

using Entries = std::vector<YamlEntry>;

bool one_of(std::string_view key, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

/// The walk over one document: a method per section.
class Reader {
 public:
  explicit Reader(Document& out) : out_(out) {}

  void section(const std::string& key, const YamlNode& value) {
    using Method = void (Reader::*)(const YamlNode&);
    struct Row {
      std::string_view key;
      YamlNode::Kind kind;  // kNull: the method looks itself
      Method method;
    };
    using Kind = YamlNode::Kind;
    static constexpr auto kSections = std::to_array<Row>({
        {"net", Kind::kSequence, &Reader::nets},
        {"ip2nets", Kind::kSequence, &Reader::ip2nets},
        {"route", Kind::kSequence, &Reader::routes},
        {"routing", Kind::kNull, &Reader::routing},
        {"buffers", Kind::kMap, &Reader::buffers},
        {"peer", Kind::kSequence, &Reader::peers},
        {"numa", Kind::kMap, &Reader::numa},
        {"global", Kind::kMap, &Reader::global},
        {"udsp", Kind::kSequence, &Reader::udsp},
        {"param", Kind::kMap, &Reader::params},
        {"statistics", Kind::kNull, &Reader::statistics},
        {"ping", Kind::kNull, &Reader::ping},
        {"discover", Kind::kNull, &Reader::discover},
    });
    section_ = key;
    const auto row = std::find_if(kSections.begin(), kSections.end(),
                                  [&](const Row& r) { return r.key == key; });
    if (row == kSections.end()) return problem(value.place, invalid_key(key));
    if (row->kind != Kind::kNull && value.is_null()) return problem(value.place, no_value(key));
    if (row->kind != Kind::kNull && value.kind != row->kind)
      return problem(value.place, invalid_value(key, value));
    (this->*row->method)(value);
  }

 private:
  template <class What>
  void add(Place place, What what) {
    out_.items.push_back({place, section_, std::move(what)});
  }
  void problem(Place place, Error error) {
    add(place, Problem{error.code, std::move(error.reason)});
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  /// A number of this section; what is wrong becomes a problem of its own.
  std::optional<std::int64_t> number(const std::string& key, const YamlNode& value) {
    if (value.is_null()) problem(value.place, no_value(key));
    const auto n = value.as_int();
    if (!n && !value.is_null()) problem(value.place, invalid_value(key, value));
    return n;
  }
  /// The text of a required key; a problem (once) when it is missing.
  std::optional<std::string> text(const YamlNode& item, std::string_view key) {
    const YamlNode* value = item.find(key);
    if (value == nullptr || value->is_null()) {
      problem(value == nullptr ? item.place : value->place, no_value(key));
    } else if (!value->is_scalar()) {
      problem(value->place, invalid_value(key, *value));
    } else {
      return value->text;
    }
    return std::nullopt;
  }
  /// Calls `read` with every item that is a mapping.
  template <class Read>
  void each_map(const YamlNode& sequence, Read&& read) {
    for (const YamlNode& item : sequence.items) {
      if (item.is_map()) {
        read(item);
      } else {
        problem(item.place, item.is_null() ? no_value(section_) : invalid_value(section_, item));
      }
    }
  }

  void nets(const YamlNode& value) {
    each_map(value, [&](const YamlNode& item) {
      auto net = read_net(item, out_.notes);
      if (net)
        add(item.place, NetEntry{std::move(*net)});
      else
        problem(item.place, std::move(net.error()));
    });
  }

  void ip2nets(const YamlNode& value) {
    Ip2NetsEntry entry;
    each_map(value, [&](const YamlNode& item) {
      auto rule = read_ip2nets_rule(item, out_.notes);
      if (rule)
        entry.rules.push_back(std::move(*rule));
      else
        problem(item.place, std::move(rule.error()));
    });
    if (!entry.rules.empty()) add(value.place, std::move(entry));
  }

  void routes(const YamlNode& value) {
    each_map(value, [&](const YamlNode& item) {
      RouteEntry route;
      const auto net = text(item, "net");
      const auto gateway = net ? text(item, "gateway") : std::nullopt;
      if (!gateway) return;
      route.net = *net;
      route.gateway = *gateway;
      for (const auto& [key, node] : item.entries) {
        if (key == "hop")
          route.hop = number(key, node);
        else if (key == "priority")
          route.priority = number(key, node);
        else if (!one_of(key, {"net", "gateway", "state", "type", "health_sensitivity"}))
          note(ignoring(key, section_));
      }
      add(item.place, std::move(route));
    });
  }

  void named_numbers(const Entries& entries, RoutingEntry& entry,
                     std::initializer_list<std::string_view> names) {
    for (const auto& [key, node] : entries) {
      if (!one_of(key, names)) {
        problem(node.place, invalid_key(key));
      } else if (const auto n = number(key, node)) {
        entry.values.emplace_back(key, *n);
      }
    }
  }
  /// A mapping, or the list that `routing show` and `export` print: only its `enable` configures.
  void routing(const YamlNode& value) {
    RoutingEntry entry;
    if (value.is_map()) {
      named_numbers(value.entries, entry, {"enable", "tiny", "small", "large"});
    } else if (value.is_sequence()) {
      each_map(value, [&](const YamlNode& item) {
        if (const YamlNode* enable = item.find("enable")) {
          if (const auto n = number("enable", *enable)) entry.values.emplace_back("enable", *n);
        }
      });
    } else {
      return problem(value.place,
                     value.is_null() ? no_value(section_) : invalid_value(section_, value));
    }
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }
  void buffers(const YamlNode& value) {
    RoutingEntry entry;
    entry.buffers = true;
    named_numbers(value.entries, entry, {"tiny", "small", "large"});
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }

  void peers(const YamlNode& value) {
    each_map(value, [&](const YamlNode& item) {
      PeerEntry peer;
      const auto primary = text(item, "primary nid");
      if (!primary) return;
      peer.primary = *primary;
      if (const YamlNode* multi_rail = item.find("Multi-Rail")) {
        const auto truth = multi_rail->as_bool();
        if (!truth) {
          return problem(multi_rail->place, multi_rail->is_null()
                                                ? no_value("Multi-Rail")
                                                : invalid_value("Multi-Rail", *multi_rail));
        }
        peer.multi_rail = *truth;
      }
      if (const YamlNode* nis = item.find("peer ni")) {
        for (const YamlNode& ni : nis->items) {
          const auto nid = text(ni, "nid");
          if (!nid) return;
          peer.nids.push_back(*nid);
        }
      }
      add(item.place, std::move(peer));
    });
  }

  void numa(const YamlNode& value) {
    GlobalEntry entry;
    for (const auto& [key, node] : value.entries) {
      if (key != "range") {
        problem(node.place, invalid_key(key));
      } else if (const auto n = number(key, node)) {
        entry.values.emplace_back("numa_range", *n);
      }
    }
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }
  void global(const YamlNode& value) {
    GlobalEntry entry;
    for (const auto& [key, node] : value.entries) {
      if (key == "lnd_timeout") continue;
      if (find_global(key) == nullptr) {
        problem(node.place, invalid_key(key));
      } else if (const auto n = number(key, node)) {
        entry.values.emplace_back(key, *n);
      }
    }
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }

  void udsp(const YamlNode& value) {
    each_map(value, [&](const YamlNode& item) {
      UdspEntry rule;
      for (const auto& [key, node] : item.entries) {
        if (key == "idx")
          rule.idx = number(key, node);
        else if (key == "src")
          rule.src = node.shown();
        else if (key == "dst")
          rule.dst = node.shown();
        else if (key == "rte")
          rule.rte = node.shown();
        else if (key != "action")
          problem(node.place, invalid_key(key));
        else if (const YamlNode* priority = node.find("priority"))
          rule.priority = number("priority", *priority);
      }
      add(item.place, std::move(rule));
    });
  }

  /// Either `name: value`, or what `param show` prints: `name: {value: v, …}`.
  void params(const YamlNode& value) {
    ParamEntry entry;
    for (const auto& [given, node] : value.entries) {
      const Param* const param = find_param(given);
      const std::string key(param == nullptr ? given : param->name);
      const YamlNode* inner = node.is_map() ? node.find("value") : &node;
      if (inner == nullptr || inner->is_null())
        problem(node.place, no_value(key));
      else if (!inner->is_scalar())
        problem(node.place, invalid_value(key, node));
      else
        entry.values.emplace_back(key, inner->text);
    }
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }

  void statistics(const YamlNode& value) { add(value.place, StatisticsEntry{}); }
  void ping(const YamlNode& value) { exec(value, false); }
  void discover(const YamlNode& value) { exec(value, true); }
  void exec(const YamlNode& value, bool is_discover) {
    ExecEntry entry;
    entry.discover = is_discover;
    if (value.is_sequence()) {
      each_map(value, [&](const YamlNode& item) {
        if (const auto nid = text(item, "primary nid")) entry.nids.push_back(*nid);
      });
      return add(value.place, std::move(entry));
    }
    if (!value.is_map())
      return problem(value.place,
                     value.is_null() ? no_value(section_) : invalid_value(section_, value));
    for (const auto& [key, node] : value.entries) {
      if (key == "nids")
        nid_list(node, entry.nids);
      else if (key == "timeout")
        entry.timeout_s = number(key, node);
      else if (key == "source")
        entry.source = node.shown();
      else if (key == "force")
        entry.force = node.as_bool().value_or(false);
      else
        problem(node.place, invalid_key(key));
    }
    add(value.place, std::move(entry));
  }
  void nid_list(const YamlNode& value, std::vector<std::string>& nids) {
    for (const auto& [key, node] : value.entries) nids.push_back(node.shown());
    for (const YamlNode& node : value.items) nids.push_back(node.shown());
    if (value.is_scalar()) nids.push_back(value.text);
  }

  Document& out_;
  std::string section_;
};

}  // namespace

Result<Document> read_yaml(std::string_view text) {
  auto documents = load_yaml(text);
  if (!documents) return tl::unexpected(documents.error());
  Document out;
  for (const YamlNode& root : *documents) {
    if (root.is_null()) continue;
    if (!root.is_map()) {
      return fail(-EINVAL, "line " + std::to_string(root.place.line) + ", column " +
                               std::to_string(root.place.column) +
                               ": expected sections such as 'net:'");
    }
    Reader reader(out);
    for (const auto& [key, value] : root.entries) reader.section(key, value);
  }
  return out;
}

}  // namespace ulnet::conf
