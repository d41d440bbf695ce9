#include "conf/yaml_ni.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "conf/yaml_in.h"

namespace ulnet::conf {

namespace {

using Notes = std::vector<std::string>;

bool one_of(std::string_view key, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

/// A tunable: where it goes, what is allowed, and the value that means "the default".
struct Knob {
  std::string_view key;
  std::optional<std::int32_t>* to;
  std::int64_t min, max;
  std::string_view out_of_range;  // what lnetctl says, else "invalid value"
};

Result<void> read_knobs(const YamlNode& value, std::string_view where,
                        std::initializer_list<Knob> knobs, Notes& notes) {
  if (value.is_null()) return {};
  if (!value.is_map()) return tl::unexpected(invalid_value(where, value));
  for (const auto& [key, node] : value.entries) {
    const auto knob = std::find_if(knobs.begin(), knobs.end(),
                                   [&wanted = key](const Knob& k) { return k.key == wanted; });
    if (knob == knobs.end()) {
      // these only inform; exports show them
      if (key != "timeout" && key != "accept") notes.push_back(ignoring(key, where));
      continue;
    }
    const auto n = node.as_int();
    if (node.is_null()) return tl::unexpected(no_value(key));
    if (n && (*n < knob->min || *n > knob->max) && !knob->out_of_range.empty()) {
      return fail(-EINVAL, std::string(knob->out_of_range));
    }
    if (!n || *n < knob->min || *n > knob->max) return tl::unexpected(invalid_value(key, node));
    *knob->to = static_cast<std::int32_t>(*n);
  }
  return {};
}

Result<void> read_tunables(const YamlNode& value, CommonTunables& to, Notes& notes) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  return read_knobs(value, "tunables",
                    {{"peer_timeout", &to.peer_timeout, -1, kMax, {}},
                     {"peer_credits", &to.peer_credits, -1, kMax, {}},
                     {"peer_buffer_credits", &to.peer_buffer_credits, -1, kMax, {}},
                     {"credits", &to.credits, -1, kMax, {}}},
                    notes);
}

Result<void> read_lnd_tunables(const YamlNode& value, LndTunables& to, Notes& notes) {
  return read_knobs(value, "lnd tunables",
                    {{"conns_per_peer", &to.conns_per_peer, -1, 127,
                      "invalid conns-per-peer value (valid range 0-127)"},
                     {"tos", &to.tos, -1, 255, "Invalid ToS argument"}},
                    notes);
}

/// "[0,1]" as text, or a list.
Result<std::vector<std::uint32_t>> read_cpts(const YamlNode& value) {
  if (value.is_null()) return tl::unexpected(no_value("CPT"));
  std::string text = value.text;
  if (value.is_sequence()) {
    text = "[";
    for (const YamlNode& item : value.items) text += (text.size() > 1 ? "," : "") + item.text;
    text += "]";
  }
  auto cpts = parse_cpt_list(text);
  if (!cpts)
    return fail(cpts.error().code, invalid_value("CPT", value).reason + ": " + cpts.error().reason);
  return cpts;
}

/// `{0: eth0[0,1], 1: eth1}`.
Result<std::vector<NiItem>> read_interfaces(const YamlNode& value) {
  std::vector<NiItem> all;
  if (value.is_null()) return tl::unexpected(no_value("interfaces"));
  if (!value.is_map()) return tl::unexpected(invalid_value("interfaces", value));
  for (const auto& [key, node] : value.entries) {
    if (node.is_null()) return tl::unexpected(no_value(key));
    auto some = node.is_scalar() ? parse_interface_list(node.text) : fail(-EINVAL);
    if (!some) return tl::unexpected(invalid_value("interfaces", node));
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

Result<NetId> read_net_name(const YamlNode& item, std::string_view key) {
  const bool first = !item.entries.empty() && item.entries.front().key == key;
  if (!first) return fail(-EINVAL, "'" + std::string(key) + "' must be the first key of its item");
  const YamlNode& value = item.entries.front().value;
  if (value.is_null()) return tl::unexpected(no_value(key));
  auto net = value.is_scalar() ? NetId::parse(value.text) : fail(-EINVAL);
  if (!net || net->is_any()) return tl::unexpected(invalid_value(key, value));
  return net;
}

/// Takes over from the net level what the NI does not say itself.
void inherit(CommonTunables& to, const CommonTunables& from) {
  if (!to.peer_timeout) to.peer_timeout = from.peer_timeout;
  if (!to.peer_credits) to.peer_credits = from.peer_credits;
  if (!to.peer_buffer_credits) to.peer_buffer_credits = from.peer_buffer_credits;
  if (!to.credits) to.credits = from.credits;
}
void inherit(LndTunables& to, const LndTunables& from) {
  if (!to.conns_per_peer) to.conns_per_peer = from.conns_per_peer;
  if (!to.tos) to.tos = from.tos;
}

/// One item of `local NI(s)`: as many NIs as it names interfaces.
Result<std::vector<NiItem>> read_nis(const YamlNode& item, Notes& notes) {
  if (!item.is_map()) return tl::unexpected(invalid_value("local NI(s)", item));
  NiItem common;
  std::vector<NiItem> nis;
  for (const auto& [key, node] : item.entries) {
    Result<void> read;
    if (key == "interfaces") {
      auto interfaces = read_interfaces(node);
      if (!interfaces) return interfaces;
      nis = std::move(*interfaces);
    } else if (key == "nid") {
      if (node.is_null()) return tl::unexpected(no_value(key));
      auto nid = node.is_scalar() ? Nid::parse(node.text) : fail(-EINVAL);
      if (!nid) return tl::unexpected(invalid_value(key, node));
      common.nid = *nid;
    } else if (key == "tunables") {
      read = read_tunables(node, common.tunables, notes);
    } else if (key == "lnd tunables") {
      read = read_lnd_tunables(node, common.lnd_tunables, notes);
    } else if (key == "CPT") {
      auto cpts = read_cpts(node);
      if (!cpts) return tl::unexpected(cpts.error());
      common.cpts = std::move(*cpts);
    } else if (key == "ip-range") {
      return tl::unexpected(invalid_key(key));
    } else if (!one_of(key, {"status", "statistics", "udsp info", "sent_stats", "received_stats",
                             "dropped_stats", "health stats", "dev cpt", "accept"})) {
      notes.push_back(ignoring(key, "local NI(s)"));
    }
    if (!read) return tl::unexpected(read.error());
  }
  if (nis.empty() && !common.nid)
    return fail(-EINVAL, "a local NI needs at least one interface or its nid");
  if (nis.empty()) nis.emplace_back();
  if (nis.size() > 1) common.nid.reset();  // one NID cannot inform about several interfaces
  for (NiItem& ni : nis) {
    ni.nid = common.nid;
    ni.tunables = common.tunables;
    ni.lnd_tunables = common.lnd_tunables;
    if (ni.cpts.empty()) ni.cpts = common.cpts;
  }
  return nis;
}

/// `tunables` belong to the net: the first NI's count (spec/cli-lnetctl.md 5.3).
void note_differing_tunables(const NetItem& net, Notes& notes) {
  const auto differs = [&](const NiItem& ni) {
    return ni.tunables != CommonTunables{} && ni.tunables != net.nis.front().tunables;
  };
  if (std::any_of(net.nis.begin(), net.nis.end(), differs)) {
    notes.push_back("tunables of all NIs of net '" + net.net.to_string() +
                    "' should be the same; those of the first one count");
  }
}

}  // namespace

Error invalid_key(std::string_view key) {
  return {-EINVAL, "invalid key '" + std::string(key) + "'"};
}
Error no_value(std::string_view key) {
  return {-EINVAL, "no value specified for key '" + std::string(key) + "'"};
}
Error invalid_value(std::string_view key, const YamlNode& value) {
  return {-EINVAL, "invalid value '" + value.shown() + "' for key '" + std::string(key) + "'"};
}
std::string ignoring(std::string_view key, std::string_view where) {
  return "Ignoring unrecognized key '" + std::string(key) + "' for '" + std::string(where) + "'";
}

Result<NetItem> read_net(const YamlNode& item, Notes& notes) {
  auto name = read_net_name(item, "net type");
  if (!name) return tl::unexpected(name.error());
  NetItem net;
  net.net = *name;
  NiItem common;
  for (const auto& [key, node] : item.entries) {
    Result<void> read;
    if (key == "local NI(s)") {
      if (!node.is_sequence() && !node.is_null()) return tl::unexpected(invalid_value(key, node));
      for (const YamlNode& one : node.items) {
        auto nis = read_nis(one, notes);
        if (!nis) return tl::unexpected(nis.error());
        net.nis.insert(net.nis.end(), nis->begin(), nis->end());
      }
    } else if (key == "tunables") {
      read = read_tunables(node, common.tunables, notes);
    } else if (key == "lnd tunables") {
      read = read_lnd_tunables(node, common.lnd_tunables, notes);
    } else if (key == "ip-range") {
      return tl::unexpected(invalid_key(key));
    } else if (key != "net type") {
      notes.push_back(ignoring(key, "net"));
    }
    if (!read) return tl::unexpected(read.error());
  }
  for (NiItem& ni : net.nis) {
    if (ni.nid && ni.nid->net() != net.net)
      return fail(-EINVAL,
                  "nid '" + ni.nid->to_string() + "' is not on net '" + net.net.to_string() + "'");
    inherit(ni.tunables, common.tunables);
    inherit(ni.lnd_tunables, common.lnd_tunables);
  }
  if (!net.nis.empty()) note_differing_tunables(net, notes);
  return net;
}

Result<Ip2NetsRule> read_ip2nets_rule(const YamlNode& item, Notes& notes) {
  auto name = read_net_name(item, "net-spec");
  if (!name) return tl::unexpected(name.error());
  Ip2NetsRule rule;
  rule.net = *name;
  for (const auto& [key, node] : item.entries) {
    Result<void> read;
    if (key == "interfaces") {
      auto interfaces = read_interfaces(node);
      if (!interfaces) return tl::unexpected(interfaces.error());
      rule.interfaces = std::move(*interfaces);
    } else if (key == "ip-range") {
      if (!node.is_map())
        return tl::unexpected(node.is_null() ? no_value(key) : invalid_value(key, node));
      for (const auto& [number, pattern] : node.entries) {
        auto range = wire::AddressPattern::parse_ip(pattern.text);
        if (!range)
          return tl::unexpected(pattern.is_null() ? no_value(key) : invalid_value(key, pattern));
        rule.ip_ranges.push_back(std::move(*range));
      }
    } else if (key == "tunables") {
      read = read_tunables(node, rule.tunables, notes);
    } else if (key == "lnd tunables") {
      read = read_lnd_tunables(node, rule.lnd_tunables, notes);
    } else if (key == "CPT") {
      auto cpts = read_cpts(node);
      if (!cpts) return tl::unexpected(cpts.error());
      rule.cpts = std::move(*cpts);
    } else if (key == "local NI(s)") {
      return tl::unexpected(invalid_key(key));
    } else if (key != "net-spec") {
      notes.push_back(ignoring(key, "ip2nets"));
    }
    if (!read) return tl::unexpected(read.error());
  }
  return rule;
}

}  // namespace ulnet::conf
