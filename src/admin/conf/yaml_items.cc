#include "admin/conf/yaml_items.h"

#include <algorithm>
#include <array>

#include "admin/conf/yaml_words.h"
#include "lnet/config/params.h"
#include "lnet/config/routes.h"

namespace ulnet::conf {

namespace {

using Word = std::string_view;

/// Notes the keys of a mapping that are neither known nor used by exports to show its state.
void note_unknown(const YamlNode& map, Word where, Keys known, Keys state, Problems& notes) {
  for (const YamlEntry& entry : map.entries)
    if (!is_one_of(entry.key, known) && !is_one_of(entry.key, state))
      notes.push_back(ignoring(entry, where, known));
}

/// Sets `to` if the value is of the right kind.
template <class To, class Value>
Parsed<void> put(To& to, Parsed<Value> value) {
  if (!value) return tl::unexpected(std::move(value.error()));
  to = std::move(*value);
  return {};
}

/// Reads `peer ni:`, a list of mappings with `nid` and the state that exports show.
Parsed<void> read_peer_nis(const YamlEntry& list, std::vector<std::string>& nids, Problems& notes) {
  static constexpr auto kKeys = std::to_array<Word>({"nid"});
  static constexpr auto kState = std::to_array<Word>(
      {"udsp info", "state", "max_ni_tx_credits", "available_tx_credits", "min_tx_credits",
       "tx_q_num_of_buf", "available_rtr_credits", "min_rtr_credits", "refcount", "statistics",
       "sent_stats", "received_stats", "dropped_stats", "health stats", "life cycle"});
  if (!list.value.is_sequence()) return tl::unexpected(bad_value(list.key, list.value));
  if (list.value.items.empty()) return tl::unexpected(no_value(list.key, list.value.key_place));
  for (const YamlNode& ni : list.value.items) {
    if (!ni.is_map()) return tl::unexpected(bad_value(list.key, ni));
    auto nid = text_of(ni, "nid");
    if (!nid) return tl::unexpected(std::move(nid.error()));
    nids.push_back(std::move(*nid));
    note_unknown(ni, list.key, kKeys, kState, notes);
  }
  return {};
}

/// Reads the bits of `peer state`, in the form in which it is shown; ignores a value that is not a
/// number.
void take_state(const YamlEntry& state, PeerEntry& peer) {
  constexpr std::int64_t kConfigured = 8, kLockPrimary = 1048576;  // spec/multirail.md 1.1
  const auto bits = state.value.as_int();
  if (!bits) return;
  peer.configured = (*bits & kConfigured) != 0;
  if ((*bits & kLockPrimary) != 0) peer.lock_primary = true;
}

/// Reads `action: {priority: n}`.
Parsed<void> read_action(const YamlEntry& action, std::optional<std::int64_t>& priority) {
  static constexpr auto kKeys = std::to_array<Word>({"priority"});
  if (!action.value.is_map()) return tl::unexpected(bad_value(action.key, action.value));
  for (const YamlEntry& entry : action.value.entries) {
    if (!is_one_of(entry.key, kKeys)) return tl::unexpected(invalid_key(entry, kKeys));
    if (auto read = put(priority, number_of(entry)); !read) return read;
  }
  return {};
}

/// Reads a word that must not be empty. The word is a view into the entry.
Parsed<void> read_word(const YamlEntry& entry, Word& to) {
  if (!entry.value.is_scalar() || entry.value.text.empty())
    return tl::unexpected(bad_value(entry.key, entry.value));
  to = entry.value.text;
  return {};
}

/// Reads `src:`, `dst:` or `rte:` of a policy. Old versions print NA for a criterion that is not
/// given.
Parsed<void> read_criterion(const YamlEntry& entry, core::udsp::RuleText& words) {
  Word word;
  if (auto read = read_word(entry, word); !read) return read;
  if (word == "NA") return {};
  (entry.key == "src" ? words.src : entry.key == "dst" ? words.dst : words.rte) = word;
  return {};
}

/// A key of `selection:` and the word that it sets.
struct SelectionKey {
  Word key;
  Word SelectionText::*to;
};
constexpr auto kSelectionWords = std::to_array<SelectionKey>({{"type", &SelectionText::type},
                                                              {"net", &SelectionText::net},
                                                              {"nid", &SelectionText::nid},
                                                              {"local", &SelectionText::local},
                                                              {"remote", &SelectionText::remote}});

/// Reads one NID, a list of NIDs, or numbered NIDs: `{0: NID, 1: NID}`.
Parsed<void> read_nids(const YamlEntry& list, std::vector<std::string>& nids) {
  const YamlNode& value = list.value;
  std::vector<const YamlNode*> all;
  for (const YamlEntry& entry : value.entries) all.push_back(&entry.value);
  for (const YamlNode& item : value.items) all.push_back(&item);
  if (value.is_scalar() || all.empty()) all.push_back(&value);
  for (const YamlNode* one : all) {
    if (!one->is_scalar()) return tl::unexpected(bad_value(list.key, *one));
    nids.push_back(one->text);
  }
  return {};
}

/// Reads a gateway, a list of gateways, or numbered gateways, as one list of words.
Parsed<void> read_gateways(const YamlEntry& entry, std::string& to) {
  std::vector<std::string> words;
  if (auto read = read_nids(entry, words); !read) return read;
  for (const std::string& word : words) to += (to.empty() ? "" : ",") + word;
  return {};
}

/// Makes the problem of a route that lacks its net or its gateway.
Problem missing(Word key, const YamlNode& route) {
  Problem problem = no_value(key, route.place);
  problem.code = -ENODEV;
  return problem;
}

/// Returns the number if `check` accepts it.
template <class Check>
Parsed<std::int64_t> checked(const YamlEntry& entry, Check&& check) {
  const auto number = number_of(entry);
  if (!number) return number;
  if (const auto good = check(*number); !good)
    return tl::unexpected(Problem{entry.value.place, good.error().reason, good.error().code});
  return number;
}

/// Reads the list that `ping` and `discover` print.
Parsed<ExecEntry> read_pinged(const YamlNode& list, Word section, Problems& notes) {
  static constexpr auto kKeys = std::to_array<Word>({"primary nid"});
  static constexpr auto kState = std::to_array<Word>({"Multi-Rail", "peer_ni", "peer ni"});
  ExecEntry exec;
  for (const YamlNode& item : list.items) {
    if (auto wrong = not_a_mapping(section, item)) return tl::unexpected(std::move(*wrong));
    auto nid = text_of(item, "primary nid");
    if (!nid) return tl::unexpected(std::move(nid.error()));
    exec.nids.push_back(std::move(*nid));
    note_unknown(item, section, kKeys, kState, notes);
  }
  return exec;
}

}  // namespace

Parsed<RouteEntry> read_route(const YamlNode& item, Problems& notes) {
  static constexpr auto kKeys =
      std::to_array<Word>({"net", "gateway", "hop", "priority", "detail"});
  static constexpr auto kState =
      std::to_array<Word>({"state", "type", "why", "health_sensitivity"});
  RouteEntry route;
  for (const Word key : {"net", "gateway"})
    if (item.find(key) == nullptr) return tl::unexpected(missing(key, item));
  if (auto net = put(route.net, text_of(item, "net")); !net) return tl::unexpected(net.error());
  for (const YamlEntry& entry : item.entries) {
    Parsed<void> read;
    if (entry.key == "gateway")
      read = read_gateways(entry, route.gateway);
    else if (entry.key == "hop")
      read = put(route.hop, checked(entry, check_hops));
    else if (entry.key == "priority")
      read = put(route.priority, checked(entry, check_priority));
    else if (entry.key == "detail")
      read = put(route.detail, number_of(entry));
    if (!read) return tl::unexpected(std::move(read.error()));
  }
  note_unknown(item, "route", kKeys, kState, notes);
  return route;
}

Parsed<PeerEntry> read_peer(const YamlNode& item, Problems& notes) {
  static constexpr auto kKeys = std::to_array<Word>(
      {"primary nid", "Multi-Rail", "peer ni", "lock_prim", "peer state", "why", "life cycle"});
  PeerEntry peer;
  if (auto primary = put(peer.primary, text_of(item, "primary nid")); !primary)
    return tl::unexpected(primary.error());
  for (const YamlEntry& entry : item.entries) {
    Parsed<void> read;
    if (!is_one_of(entry.key, kKeys))
      read = tl::unexpected(invalid_key(entry, kKeys));
    else if (entry.key == "Multi-Rail")
      read = put(peer.multi_rail, bool_of(entry));
    else if (entry.key == "peer ni")
      read = read_peer_nis(entry, peer.nids, notes);
    else if (entry.key == "lock_prim")
      read = put(peer.lock_primary, bool_of(entry));
    else if (entry.key == "peer state")
      take_state(entry, peer);
    if (!read) return tl::unexpected(std::move(read.error()));
  }
  return peer;
}

Parsed<PeersEntry> read_peers(const YamlNode& item) {
  static constexpr auto kKeys = std::to_array<Word>({"nids"});
  PeersEntry peer;
  for (const YamlEntry& entry : item.entries) {
    if (entry.key != "nids") return tl::unexpected(invalid_key(entry, kKeys));
    if (auto read = read_nids(entry, peer.nids); !read) return tl::unexpected(read.error());
  }
  if (peer.nids.empty()) return tl::unexpected(no_value("nids", item.place));
  return peer;
}

Parsed<UdspEntry> read_udsp(const YamlNode& item) {
  static constexpr auto kKeys = std::to_array<Word>({"idx", "src", "dst", "rte", "action"});
  UdspEntry entry;
  core::udsp::RuleText words;
  for (const YamlEntry& each : item.entries) {
    Parsed<void> read;
    if (!is_one_of(each.key, kKeys))
      read = tl::unexpected(invalid_key(each, kKeys));
    else if (each.key == "idx")
      read = put(entry.idx, number_of(each));
    else if (each.key == "action")
      read = read_action(each, words.priority);
    else
      read = read_criterion(each, words);
    if (!read) return tl::unexpected(std::move(read.error()));
  }
  auto rule = core::udsp::parse_rule(words);
  if (!rule) return tl::unexpected(Problem{item.place, rule.error().reason, rule.error().code});
  entry.rule = *std::move(rule);
  return entry;
}

Parsed<SelectionEntry> read_selection(const YamlNode& item) {
  static constexpr auto kKeys =
      std::to_array<Word>({"id", "type", "net", "nid", "local", "remote", "priority"});
  SelectionEntry entry;
  SelectionText words;
  for (const YamlEntry& each : item.entries) {
    const auto word = std::ranges::find(kSelectionWords, each.key, &SelectionKey::key);
    Parsed<void> read;
    if (!is_one_of(each.key, kKeys))
      read = tl::unexpected(invalid_key(each, kKeys));
    else if (word != kSelectionWords.end())
      read = read_word(each, words.*word->to);
    else
      read = put(each.key == "id" ? entry.id : words.priority, number_of(each));
    if (!read) return tl::unexpected(std::move(read.error()));
  }
  if (words.type.empty()) return tl::unexpected(no_value("type", item.place));
  auto selection = parse_selection(words);
  if (!selection)
    return tl::unexpected(Problem{item.place, selection.error().reason, selection.error().code});
  entry.selection = *std::move(selection);
  return entry;
}

Parsed<Setting<std::string>> read_param(const YamlEntry& entry, Problems& notes) {
  static constexpr auto kKeys = std::to_array<Word>({"value"});
  static constexpr auto kState = std::to_array<Word>({"default", "start_only", "help", "note"});
  const Param* const param = find_param(entry.key);
  const std::string name(param == nullptr ? entry.key : param->name);
  const YamlNode* inner = entry.value.is_map() ? entry.value.find("value") : &entry.value;
  if (inner == nullptr) return tl::unexpected(no_value(name, entry.value.key_place));
  if (!inner->is_scalar()) return tl::unexpected(bad_value(name, *inner));
  note_unknown(entry.value, name, kKeys, kState, notes);
  return Setting<std::string>{name, inner->text, inner->place};
}

Parsed<ExecEntry> read_exec(const YamlNode& value, Word section, Problems& notes) {
  static constexpr auto kKeys = std::to_array<Word>({"nids", "timeout", "source", "force"});
  if (value.is_sequence()) return read_pinged(value, section, notes);
  if (!value.is_map()) return tl::unexpected(bad_value(section, value));
  ExecEntry exec;
  for (const YamlEntry& entry : value.entries) {
    Parsed<void> read;
    if (entry.key == "nids")
      read = read_nids(entry, exec.nids);
    else if (entry.key == "timeout")
      read = put(exec.timeout_s, number_of(entry));
    else if (entry.key == "source")
      read = put(exec.source, text_of(entry));
    else if (entry.key == "force")
      read = put(exec.force, bool_of(entry));
    else
      read = tl::unexpected(invalid_key(entry, kKeys));
    if (!read) return tl::unexpected(std::move(read.error()));
  }
  return exec;
}

}  // namespace ulnet::conf
