#include "admin/conf/yaml_in.h"

#include <algorithm>
#include <array>
#include <map>

#include "admin/conf/daemon_section.h"
#include "admin/conf/yaml_design.h"
#include "admin/conf/yaml_items.h"
#include "admin/conf/yaml_ni.h"
#include "admin/conf/yaml_words.h"
#include "lnet/config/params.h"
#include "text/yaml_node.h"

namespace ulnet::conf {

namespace {

/// Reads one document: a method per section.
class Reader {
 public:
  explicit Reader(Document& out) : out_(out) {}

  void section(const YamlEntry& entry) {
    using Method = void (Reader::*)(const YamlNode&);
    struct Row {
      std::string_view key;
      YamlNode::Kind kind;  // kNull: the method of the section checks the kind itself
      Method method;
    };
    using Kind = YamlNode::Kind;
    static constexpr auto kSections = std::to_array<Row>({
        {"net", Kind::kSequence, &Reader::nets},
        {"ip2nets", Kind::kSequence, &Reader::ip2nets},
        {"route", Kind::kNull, &Reader::routes},
        {"routing", Kind::kNull, &Reader::routing},
        {"buffers", Kind::kMap, &Reader::buffers},
        {"peer", Kind::kSequence, &Reader::peer},
        {"peers", Kind::kSequence, &Reader::peers},
        {"numa", Kind::kMap, &Reader::numa},
        {"global", Kind::kMap, &Reader::global},
        {"udsp", Kind::kSequence, &Reader::udsp},
        {"selection", Kind::kSequence, &Reader::selection},
        {"param", Kind::kMap, &Reader::params},
        {"daemon", Kind::kMap, &Reader::daemon},
        {"statistics", Kind::kNull, &Reader::statistics},
        {"ping", Kind::kNull, &Reader::ping},
        {"discover", Kind::kNull, &Reader::discover},
    });
    const auto& [key, value] = entry;
    section_ = key;
    const auto row = std::ranges::find(kSections, key, &Row::key);
    if (row == kSections.end()) {
      std::vector<std::string_view> known;
      for (const Row& r : kSections) known.push_back(r.key);
      return problem(invalid_key(entry, known));
    }
    const auto [first, is_first] = begins_.try_emplace(key, value.key_place.line);
    if (!is_first) {
      out_.notes.push_back(
          note(value.key_place,
               "section '" + key + "' is there already, in line " + std::to_string(first->second)));
    }
    const bool takes_none = key == "statistics" || key == "route";
    if (value.is_null() && !takes_none) {
      out_.notes.push_back(note(value.key_place, "section '" + key + "' is empty"));
      return;
    }
    if (row->kind != Kind::kNull && value.kind != row->kind) return problem(bad_value(key, value));
    if (value.is_map())
      if (auto twice = key_twice(value)) return problem(std::move(*twice));
    (this->*row->method)(value);
  }

 private:
  template <class What>
  void add(Place place, What what) {
    out_.items.push_back({place, section_, std::move(what), seq_no_});
  }
  void problem(Problem what) {
    what.seq_no = seq_no_;
    add(what.place, std::move(what));
  }

  /// Calls `read` with every item of a list, and adds its result, an item or a problem.
  template <class Read>
  void each(const YamlNode& list, Read&& read) {
    each_node(list, [&](const YamlNode& item) {
      if (auto made = read(item))
        add(item.place, std::move(*made));
      else
        problem(std::move(made.error()));
    });
  }
  /// Calls `take` with every item of a list that is a mapping. The item is passed without its
  /// `seq_no`.
  template <class Take>
  void each_node(const YamlNode& list, Take&& take) {
    for (YamlNode item : list.items) {
      if (auto wrong = not_a_mapping(section_, item)) {
        problem(std::move(*wrong));
        continue;
      }
      auto number = take_seq_no(item);
      if (!number) {
        problem(std::move(number.error()));
        continue;
      }
      seq_no_ = *number;
      take(item);
      seq_no_.reset();
    }
  }

  void nets(const YamlNode& value) {
    each_node(value, [&](const YamlNode& item) {
      auto net = todays_net(item);
      if (!net) return problem(std::move(net.error()));
      if (net->is_rule) return rule(net->item);
      auto read = read_net(net->item, out_.notes);
      if (!read) return problem(std::move(read.error()));
      add(item.place, NetEntry{std::move(*read), net->detail});
    });
  }
  /// Reads a single rule, as an entry of its own.
  void rule(const YamlNode& item) {
    auto read = read_ip2nets_rule(item, out_.notes);
    if (!read) return problem(std::move(read.error()));
    Ip2NetsEntry entry;
    entry.rules.push_back(std::move(*read));
    add(item.place, std::move(entry));
  }

  /// Adds the rules only if all of them were read. For each net the first matching rule counts, so
  /// no rule can be judged without the others.
  void ip2nets(const YamlNode& value) {
    Ip2NetsEntry entry;
    for (const YamlNode& item : value.items) {
      auto wrong = not_a_mapping(section_, item);
      auto rule = wrong ? Parsed<Ip2NetsRule>(tl::unexpected(std::move(*wrong)))
                        : read_ip2nets_rule(item, out_.notes);
      if (rule)
        entry.rules.push_back(std::move(*rule));
      else
        problem(std::move(rule.error()));
    }
    const bool all = entry.rules.size() == value.items.size();
    if (all && !entry.rules.empty()) add(value.place, std::move(entry));
  }

  void routes(const YamlNode& value) {
    if (value.is_null()) return;  // no routes
    if (!value.is_sequence()) return problem(bad_value(section_, value));
    each(value, [&](const YamlNode& item) { return read_route(item, out_.notes); });
  }
  void peer(const YamlNode& value) {
    each(value, [&](const YamlNode& item) { return read_peer(item, out_.notes); });
  }
  void peers(const YamlNode& value) { each(value, &read_peers); }
  void udsp(const YamlNode& value) { each(value, &read_udsp); }
  void selection(const YamlNode& value) { each(value, &read_selection); }

  /// Reads the numbers of a mapping. A wrong number becomes a problem of its own. Keys of
  /// `informing` are ignored.
  NumberSettings numbers(const YamlNode& map, Keys known, Keys informing = {}) {
    NumberSettings values;
    for (const YamlEntry& entry : map.entries) {
      if (is_one_of(entry.key, informing)) continue;
      if (!is_one_of(entry.key, known))
        problem(invalid_key(entry, known));
      else if (const auto number = number_of(entry))
        values.push_back({entry.key, *number, entry.value.place});
      else
        problem(number.error());
    }
    return values;
  }

  /// Reads the numbers of a mapping that may also have the design document's `seq_no` and `detail`.
  /// From then on seq_no_ is that of the current item.
  NumberSettings numbers_of_node(YamlNode map, Keys known) {
    static constexpr auto kShown = std::to_array<std::string_view>({"detail"});
    if (auto number = take_seq_no(map))
      seq_no_ = *number;
    else
      problem(std::move(number.error()));
    return numbers(map, known, kShown);
  }

  /// Reads a mapping, or the list that `routing show` and `export` print, of which only `enable`
  /// configures anything.
  void routing(const YamlNode& value) {
    static constexpr auto kKeys =
        std::to_array<std::string_view>({"enable", "tiny", "small", "large"});
    RoutingEntry entry;
    if (value.is_map()) {
      entry.values = numbers_of_node(value, kKeys);
    } else if (value.is_sequence()) {
      for (const YamlNode& item : value.items) {
        if (auto wrong = not_a_mapping(section_, item)) {
          problem(std::move(*wrong));
          continue;
        }
        std::vector<std::string_view> pools;
        for (const YamlEntry& pool : item.entries)
          if (pool.key.starts_with("cpt[")) pools.push_back(pool.key);
        for (Setting<std::int64_t>& setting : numbers(item, Keys(kKeys).first(1), pools))
          entry.values.push_back(std::move(setting));
      }
    } else {
      return problem(bad_value(section_, value));
    }
    if (!entry.values.empty()) add(value.place, std::move(entry));
    seq_no_.reset();
  }
  void buffers(const YamlNode& value) {
    static constexpr auto kKeys = std::to_array<std::string_view>({"tiny", "small", "large"});
    RoutingEntry entry{.buffers = true, .values = numbers_of_node(value, kKeys)};
    if (!entry.values.empty()) add(value.place, std::move(entry));
    seq_no_.reset();
  }

  void numa(const YamlNode& value) {
    static constexpr auto kKeys = std::to_array<std::string_view>({"range"});
    GlobalEntry entry{numbers(value, kKeys)};
    for (Setting<std::int64_t>& setting : entry.values) setting.name = "numa_range";
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }
  void global(const YamlNode& value) {
    static constexpr auto kInforming = std::to_array<std::string_view>({"lnd_timeout"});
    std::vector<std::string_view> known;
    for (const GlobalSetting& setting : all_globals()) known.push_back(setting.name);
    GlobalEntry entry{numbers(with_named_modes(with_present_names(value)), known, kInforming)};
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }

  /// Returns the settings under their present names. If a setting has both its old and its present
  /// name, the present name counts (spec/cli-lnetctl.md 5.2).
  YamlNode with_present_names(YamlNode globals) {
    constexpr std::string_view kOld = "max_intf", kNew = "max_interfaces";
    const bool both = globals.find(kNew) != nullptr;
    for (YamlEntry& entry : globals.entries) {
      if (entry.key != kOld) continue;
      out_.notes.push_back(note(
          entry.value.key_place,
          "'max_intf' is the old name of 'max_interfaces'" + std::string(both ? ": ignored" : "")));
      if (!both) entry.key = kNew;
    }
    if (both) std::erase_if(globals.entries, [&](const YamlEntry& e) { return e.key == kOld; });
    return globals;
  }

  /// Returns the settings, with names of modes replaced by their numbers.
  static YamlNode with_named_modes(YamlNode globals) {
    for (YamlEntry& entry : globals.entries)
      if (entry.value.is_scalar())
        if (const auto mode = mode_of_global(entry.key, entry.value.text))
          entry.value.text = std::to_string(*mode);
    return globals;
  }

  /// Reads parameters. An entry is `name: value`, or what `param show` prints: `name: {value: v,
  /// ...}`.
  void params(const YamlNode& value) {
    ParamEntry entry;
    for (const YamlEntry& given : value.entries) {
      auto setting = read_param(given, out_.notes);
      if (setting)
        entry.values.push_back(std::move(*setting));
      else
        problem(std::move(setting.error()));
    }
    if (!entry.values.empty()) add(value.place, std::move(entry));
  }

  void daemon(const YamlNode& value) {
    Problems problems;
    DaemonEntry entry{read_daemon_section(value, problems)};
    for (Problem& wrong : problems) problem(std::move(wrong));
    add(value.place, std::move(entry));
  }
  void statistics(const YamlNode& value) { add(value.place, StatisticsEntry{}); }
  void ping(const YamlNode& value) { exec(value, false); }
  void discover(const YamlNode& value) { exec(value, true); }
  void exec(const YamlNode& value, bool is_discover) {
    auto entry = read_exec(value, section_, out_.notes);
    if (!entry) return problem(std::move(entry.error()));
    entry->discover = is_discover;
    add(value.place, std::move(*entry));
  }

  Document& out_;
  std::string section_;
  std::optional<std::int64_t> seq_no_;  // the number of the current item
  std::map<std::string, int> begins_;   // section -> line of its first key
};

}  // namespace

Parsed<Document> read_yaml(std::string_view text) {
  auto documents = load_yaml(text);
  if (!documents) return tl::unexpected(documents.error());
  Document out;
  for (const YamlNode& root : *documents) {
    if (root.is_null()) continue;
    if (!root.is_map())
      return tl::unexpected(Problem{root.place, "expected sections such as 'net:'"});
    Reader reader(out);
    for (const YamlEntry& entry : root.entries) reader.section(entry);
  }
  return out;
}

}  // namespace ulnet::conf
