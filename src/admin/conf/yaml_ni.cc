#include "admin/conf/yaml_ni.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admin/conf/yaml_in.h"
#include "admin/conf/yaml_words.h"
#include "lnet/catalog/known_drivers.h"
#include "lnet/config/cpt_list.h"
#include "lnet/config/ni_values.h"

namespace ulnet::conf {

namespace {

constexpr auto kNiKeys =
    std::to_array<std::string_view>({"interfaces", "nid", "tunables", "lnd tunables", "CPT"});
// Keys with which exports show the state of an NI; they configure nothing.
constexpr auto kNiState = std::to_array<std::string_view>(
    {"status", "statistics", "udsp info", "sent_stats", "received_stats", "dropped_stats",
     "health stats", "dev cpt", "accept", "life cycle"});
constexpr auto kNetKeys = std::to_array<std::string_view>(
    {"net type", "local NI(s)", "interfaces", "nid", "tunables", "lnd tunables", "CPT"});
constexpr auto kRuleKeys = std::to_array<std::string_view>(
    {"net-spec", "interfaces", "ip-range", "tunables", "lnd tunables", "CPT"});

/// A tunable that may be given, and its allowed range.
struct Knob {
  std::string_view key;
  NumberRange range;  // if `out_of_range` is empty, the error says "invalid value"
};

/// Calls `take(the knob's index, number)` for each knob that is given.
template <class Take>
Parsed<void> read_knobs(const YamlNode& value, std::string_view where, std::span<const Knob> knobs,
                        Take take, Problems& notes) {
  if (value.is_null()) return {};
  if (!value.is_map()) return tl::unexpected(bad_value(where, value));
  for (const YamlEntry& entry : value.entries) {
    const auto knob = std::ranges::find(knobs, entry.key, &Knob::key);
    if (knob == knobs.end()) {
      std::vector<std::string_view> known;
      for (const Knob& k : knobs) known.push_back(k.key);
      // exports show these read-only tunables
      if (entry.key != "timeout" && entry.key != "accept")
        notes.push_back(ignoring(entry, where, known));
      continue;
    }
    const auto n = number_of(entry);
    if (!n) return tl::unexpected(n.error());
    if (!knob->range.has(*n)) {
      if (knob->range.out_of_range.empty())
        return tl::unexpected(bad_value(entry.key, entry.value));
      return tl::unexpected(Problem{entry.value.place, std::string(knob->range.out_of_range)});
    }
    take(static_cast<std::size_t>(knob - knobs.begin()), static_cast<std::int32_t>(*n));
  }
  return {};
}

Parsed<void> read_tunables(const YamlNode& value, CommonTunables& to, Problems& notes) {
  constexpr NumberRange kFromMinusOne{-1, std::numeric_limits<std::int32_t>::max(), {}};
  constexpr std::array kKnobs{
      Knob{"peer_timeout", kFromMinusOne}, Knob{"peer_credits", kFromMinusOne},
      Knob{"peer_buffer_credits", kFromMinusOne}, Knob{"credits", kFromMinusOne}};
  const std::array fields{&to.peer_timeout, &to.peer_credits, &to.peer_buffer_credits, &to.credits};
  const auto take = [&](std::size_t knob, std::int32_t number) { *fields[knob] = number; };
  return read_knobs(value, "tunables", kKnobs, take, notes);
}

/// Reads the tunables that an NI of `net` has, and refuses those that only NIs of other drivers
/// have.
Parsed<void> read_lnd_tunables(const YamlNode& value, NetId net, LndTunables& to, Problems& notes) {
  for (const YamlEntry& entry : value.entries)
    if (lnd::find_ni_tunable({}, entry.key) != nullptr &&
        lnd::find_ni_tunable(net, entry.key) == nullptr)
      return tl::unexpected(Problem{entry.value.key_place, lnd::lacks_tunable(net, entry.key)});
  std::vector<Knob> knobs;
  for (const LndTunable& tunable : lnd::tunables_to_name(net))
    knobs.push_back({tunable.name, tunable.written()});
  const auto take = [&](std::size_t knob, std::int32_t number) {
    to.insert_or_assign(std::string(knobs[knob].key), number);
  };
  return read_knobs(value, "lnd tunables", knobs, take, notes);
}

/// Reads CPTs: "[0,1]" as text, or a list.
Parsed<void> read_cpts(const YamlNode& value, std::vector<std::uint32_t>& to) {
  Problem wrong = bad_value("CPT", value);
  if (value.is_null() || value.is_map()) return tl::unexpected(std::move(wrong));
  std::string text = value.text;
  if (value.is_sequence()) {
    text = "[";
    for (const YamlNode& item : value.items) text += (text.size() > 1 ? "," : "") + item.text;
    text += "]";
  }
  auto cpts = parse_cpt_list(text);
  if (!cpts) {
    return tl::unexpected(
        Problem{wrong.place, wrong.reason + ": " + cpts.error().reason, cpts.error().code});
  }
  to = std::move(*cpts);
  return {};
}

/// Reads `{0: eth0[0,1], 1: eth1}`, with at least one interface.
Parsed<void> read_interfaces(const YamlNode& value, std::vector<NiItem>& to) {
  if (!value.is_map()) {
    Problem wrong = bad_value("interfaces", value);
    if (!value.is_null()) wrong.reason += " (numbers and names are expected: '0: eth0')";
    return tl::unexpected(std::move(wrong));
  }
  for (const auto& [key, node] : value.entries) {
    if (node.is_null()) return tl::unexpected(bad_value(key, node));
    auto some = node.is_scalar() ? parse_interface_list(node.text) : fail(-EINVAL);
    if (!some) return tl::unexpected(bad_value("interfaces", node));
    to.insert(to.end(), some->begin(), some->end());
  }
  if (to.empty()) return tl::unexpected(no_value("interfaces", value.key_place));
  return {};
}

Parsed<NetId> read_net_name(const YamlNode& item, std::string_view key) {
  const bool first = !item.entries.empty() && item.entries.front().key == key;
  if (!first) {
    return tl::unexpected(
        Problem{item.place, "'" + std::string(key) + "' must be the first key of its item"});
  }
  const YamlNode& value = item.entries.front().value;
  auto net = value.is_scalar() ? NetId::parse(value.text) : fail(-EINVAL);
  if (!net || net->is_any()) return tl::unexpected(bad_value(key, value));
  return *net;
}

/// Takes the values that the NI does not set itself from the net level.
void inherit(NiItem& to, const NiItem& from) {
  const auto take = [](auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  };
  take(to.tunables.peer_timeout, from.tunables.peer_timeout);
  take(to.tunables.peer_credits, from.tunables.peer_credits);
  take(to.tunables.peer_buffer_credits, from.tunables.peer_buffer_credits);
  take(to.tunables.credits, from.tunables.credits);
  to.lnd_tunables.insert(from.lnd_tunables.begin(), from.lnd_tunables.end());
  if (to.cpts.empty()) to.cpts = from.cpts;
}

/// Reads the keys of an NI. They are in an item of `local NI(s)`, or beside `net type`.
class NiKeys {
 public:
  NiKeys(NetId net, Problems& notes) : net_(net), notes_(notes) {}

  /// Reads one key. The key of `entry` is in kNiKeys.
  Parsed<void> read(const YamlEntry& entry) {
    const auto& [key, value] = entry;
    if (key == "interfaces") return read_interfaces(value, interfaces_);
    if (key == "tunables") return read_tunables(value, common_.tunables, notes_);
    if (key == "lnd tunables") return read_lnd_tunables(value, net_, common_.lnd_tunables, notes_);
    if (key == "CPT") return read_cpts(value, common_.cpts);
    read_nid(entry);
    return {};
  }

  /// Ends the reading; call it after the last key. Beside interfaces it ignores a NID that cannot
  /// be this NI's, because an export of another machine may have such a NID.
  Parsed<void> end() {
    if (!wrong_nid_) return {};
    if (interfaces_.empty()) return tl::unexpected(*std::move(wrong_nid_));
    notes_.push_back(note(wrong_nid_->place, wrong_nid_->reason + ": ignored beside 'interfaces'"));
    return {};
  }

  bool names_an_ni() const { return !interfaces_.empty() || common_.nid; }
  const NiItem& common() const { return common_; }
  /// Returns one NI for each named interface, or one NI if only a NID was named.
  std::vector<NiItem> nis() const {
    std::vector<NiItem> nis = interfaces_;
    if (nis.empty()) nis.emplace_back();
    for (NiItem& ni : nis) {
      // One NID cannot belong to several interfaces.
      if (nis.size() == 1) ni.nid = common_.nid;
      inherit(ni, common_);
    }
    return nis;
  }

 private:
  void read_nid(const YamlEntry& entry) {
    const auto& [key, value] = entry;
    const auto nid = value.is_scalar() ? Nid::parse(value.text) : fail(-EINVAL);
    if (!nid)
      wrong_nid_ = bad_value(key, value);
    else if (nid->net() != net_)
      wrong_nid_ = Problem{
          value.place, "nid '" + nid->to_string() + "' is not on net '" + net_.to_string() + "'"};
    else
      common_.nid = *nid;
  }

  const NetId net_;
  Problems& notes_;
  NiItem common_;
  std::optional<Problem> wrong_nid_;
  std::vector<NiItem> interfaces_;
};

/// Reads one item of `local NI(s)`.
Parsed<std::vector<NiItem>> read_nis(const YamlNode& item, NetId net, Problems& notes) {
  if (!item.is_map()) return tl::unexpected(bad_value("local NI(s)", item));
  NiKeys keys(net, notes);
  std::optional<Problem> unknown;
  for (const YamlEntry& entry : item.entries) {
    if (is_one_of(entry.key, kNiKeys)) {
      if (auto read = keys.read(entry); !read) return tl::unexpected(read.error());
    } else if (entry.key == "ip-range") {
      return tl::unexpected(invalid_key(entry, {}));
    } else if (!is_one_of(entry.key, kNiState)) {
      if (!unknown) unknown = invalid_key(entry, kNiKeys);
      notes.push_back(ignoring(entry, "local NI(s)", kNiKeys));
    }
  }
  if (auto read = keys.end(); !read) return tl::unexpected(read.error());
  if (keys.names_an_ni()) return keys.nis();
  // The unknown key is probably the misspelled key that names the NI.
  if (unknown) return tl::unexpected(std::move(*unknown));
  return tl::unexpected(Problem{item.place, "a local NI needs at least one interface or its nid"});
}

/// Reads `local NI(s)`, which must have at least one item.
Parsed<void> read_local_nis(const YamlNode& value, NetItem& net, Problems& notes) {
  if (!value.is_sequence()) return tl::unexpected(bad_value("local NI(s)", value));
  for (const YamlNode& one : value.items) {
    auto nis = read_nis(one, net.net, notes);
    if (!nis) return tl::unexpected(nis.error());
    net.nis.insert(net.nis.end(), nis->begin(), nis->end());
  }
  if (net.nis.empty()) return tl::unexpected(no_value("local NI(s)", value.key_place));
  return {};
}

/// Notes tunables that differ between NIs. `tunables` belong to the net: those of its first NI
/// count (spec/cli-lnetctl.md 5.3).
void note_differing_tunables(Place place, const NetItem& net, Problems& notes) {
  const auto differs = [&](const NiItem& ni) {
    return ni.tunables != CommonTunables{} && ni.tunables != net.nis.front().tunables;
  };
  if (std::ranges::any_of(net.nis, differs)) {
    notes.push_back(note(place, "tunables of all NIs of net '" + net.net.to_string() +
                                    "' should be the same; those of the first one count"));
  }
}

Parsed<void> read_ip_range(const YamlNode& value, std::vector<wire::AddressPattern>& to) {
  if (!value.is_map()) return tl::unexpected(bad_value("ip-range", value));
  for (const auto& [number, pattern] : value.entries) {
    auto range = wire::AddressPattern::parse_ip(pattern.text);
    if (!range) return tl::unexpected(bad_value("ip-range", pattern));
    to.push_back(std::move(*range));
  }
  if (to.empty()) return tl::unexpected(no_value("ip-range", value.key_place));
  return {};
}

}  // namespace

Parsed<NetItem> read_net(const YamlNode& item, Problems& notes) {
  const auto name = read_net_name(item, "net type");
  if (!name) return tl::unexpected(name.error());
  NetItem net;
  net.net = *name;
  // The keys of the one NI in the flat form, or the keys for all items of `local NI(s)`.
  NiKeys beside(net.net, notes);
  const YamlNode* list = item.find("local NI(s)");
  for (const YamlEntry& entry : item.entries) {
    const bool names = entry.key == "interfaces" || entry.key == "nid";
    if (list != nullptr && names) {
      return tl::unexpected(Problem{entry.value.key_place,
                                    "'" + entry.key + "' beside 'local NI(s)': which is meant?"});
    }
    Parsed<void> read;
    if (entry.key == "local NI(s)")
      read = read_local_nis(entry.value, net, notes);
    else if (is_one_of(entry.key, kNiKeys))
      read = beside.read(entry);
    else if (entry.key != "net type" && !is_one_of(entry.key, kNiState))
      read = tl::unexpected(invalid_key(entry, kNetKeys));
    if (!read) return tl::unexpected(read.error());
  }
  if (auto read = beside.end(); !read) return tl::unexpected(read.error());
  if (beside.names_an_ni()) net.nis = beside.nis();
  for (NiItem& ni : net.nis) inherit(ni, beside.common());
  if (!net.nis.empty()) note_differing_tunables(item.place, net, notes);
  return net;
}

Parsed<Ip2NetsRule> read_ip2nets_rule(const YamlNode& item, Problems& notes) {
  const auto name = read_net_name(item, "net-spec");
  if (!name) return tl::unexpected(name.error());
  Ip2NetsRule rule;
  rule.net = *name;
  rule.place = item.place;
  for (const YamlEntry& entry : item.entries) {
    const auto& [key, value] = entry;
    Parsed<void> read;
    if (key == "interfaces")
      read = read_interfaces(value, rule.interfaces);
    else if (key == "ip-range")
      read = read_ip_range(value, rule.ip_ranges);
    else if (key == "tunables")
      read = read_tunables(value, rule.tunables, notes);
    else if (key == "lnd tunables")
      read = read_lnd_tunables(value, rule.net, rule.lnd_tunables, notes);
    else if (key == "CPT")
      read = read_cpts(value, rule.cpts);
    else if (key != "net-spec")
      read = tl::unexpected(invalid_key(entry, kRuleKeys));
    if (!read) return tl::unexpected(read.error());
  }
  return rule;
}

}  // namespace ulnet::conf
