#include "conf/modparams.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "base/text.h"
#include "conf/yaml_in.h"

namespace ulnet::conf {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string quoted(std::string_view text) { return "'" + std::string(text::trim(text)) + "'"; }

Result<void> check_text(std::string_view text) {
  if (text.size() > limits::kParamTextMax)
    return fail(-EINVAL, "the text is longer than 4096 bytes");
  if (!is_utf8(text)) return fail(-EINVAL, "the text is not UTF-8");
  return {};
}

/// Splits at any of `separators` outside brackets of either kind. -EINVAL for brackets that do
/// not pair.
Result<std::vector<std::string_view>> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  std::string open;  // the brackets open at this point
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') {
      if (!open.empty()) {
        // eth0[0,1] inside tcp(...) is the only nesting there is
        if (!(open == "(" && c == '['))
          return fail(-EINVAL, "unbalanced brackets in " + quoted(text));
      }
      open += c;
    } else if (c == ')' || c == ']') {
      if (open.empty() || open.back() != (c == ')' ? '(' : '['))
        return fail(-EINVAL, "unbalanced brackets in " + quoted(text));
      open.pop_back();
    } else if (open.empty() && separators.find(c) != std::string_view::npos) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (!open.empty()) return fail(-EINVAL, "unbalanced brackets in " + quoted(text));
  parts.push_back(text.substr(begin));
  return parts;
}

/// The text without comments, each of which goes from a # to the end of its line.
std::string without_comments(std::string_view text) {
  std::string out;
  bool comment = false;
  for (const char c : text) {
    if (c == '\n') comment = false;
    if (c == '#') comment = true;
    if (!comment) out += c;
  }
  return out;
}

/// Takes the next piece of a net after its name off `rest`: "(...)", "[...]" or ":0".
std::string_view take_piece(std::string_view& rest) {
  const std::size_t end = rest.front() == ':' ? std::min(rest.find_first_of("(["), rest.size())
                                              : rest.find(rest.front() == '(' ? ')' : ']') + 1;
  const std::string_view piece = text::trim(rest.substr(0, end));
  rest = text::trim(rest.substr(end));
  return piece;
}

/// Parses a net such as "tcp1(eth0[0,1],eth1)[2-3]". The CPT list of the net is for the
/// interfaces that have none of their own. It may also stand before the interfaces, or be a
/// number behind a colon as in the SMP design: "tcp1[2-3](eth1)", "tcp1:2(eth1)". The brackets of
/// `text` pair.
Result<NetItem> parse_net(std::string_view text) {
  const auto invalid = [&] {
    return fail(-EINVAL, "Invalid network specification " + quoted(text));
  };
  const std::string_view spec = text::trim(text);
  const std::size_t name_end = std::min(spec.find_first_of("([:"), spec.size());
  auto id = NetId::parse(text::trim(spec.substr(0, name_end)));
  if (!id || id->is_any()) return invalid();
  NetItem net;
  net.net = *id;
  std::vector<std::uint32_t> cpts;
  bool interfaces_seen = false;
  for (std::string_view rest = text::trim(spec.substr(name_end)); !rest.empty();) {
    const char kind = rest.front();
    const bool colon = kind == ':';
    if ((kind != '(' && kind != '[' && !colon) || (colon && (interfaces_seen || !cpts.empty())))
      return invalid();
    const std::string_view piece = take_piece(rest);
    if (kind == '(') {
      if (interfaces_seen) return invalid();
      auto nis = parse_interface_list(piece.substr(1, piece.size() - 2));
      if (!nis) return fail(nis.error().code, nis.error().reason + " in " + quoted(text));
      net.nis = std::move(*nis);
      interfaces_seen = true;
    } else {
      if (!cpts.empty()) return invalid();
      auto list = parse_cpt_list(colon ? piece.substr(1) : piece);
      if (!list)
        return fail(list.error().code,
                    "invalid CPT list in " + quoted(text) + ": " + list.error().reason);
      cpts = std::move(*list);
    }
  }
  // "tcp[0,1]" is the first usable interface with these CPTs, for which the list needs an entry
  if (net.nis.empty() && !cpts.empty()) net.nis.emplace_back();
  for (NiItem& ni : net.nis) {
    if (ni.cpts.empty()) ni.cpts = cpts;
  }
  return net;
}

/// Adds a net to a list. An interface that the net has already is an error if `doubled_is_error`,
/// else it is added once.
Result<void> join(std::vector<NetItem>& nets, NetItem more, bool doubled_is_error) {
  const auto at =
      std::find_if(nets.begin(), nets.end(), [&](const NetItem& n) { return n.net == more.net; });
  const auto doubled = [&] {
    return fail(-EINVAL, "net '" + more.net.to_string() + "' names an interface twice");
  };
  const auto has = [](const NetItem& net, const NiItem& ni) {
    return std::any_of(net.nis.begin(), net.nis.end(),
                       [&](const NiItem& n) { return n.interface == ni.interface; });
  };
  NetItem unique{more.net, {}};
  for (NiItem& ni : more.nis) {
    const bool again = has(unique, ni) || (at != nets.end() && has(*at, ni));
    if (again && doubled_is_error) return doubled();
    if (!again) unique.nis.push_back(std::move(ni));
  }
  if (at == nets.end()) {
    nets.push_back(std::move(unique));
    return {};
  }
  const bool default_again = more.nis.empty() || at->nis.empty();
  if (default_again && doubled_is_error) return doubled();
  at->nis.insert(at->nis.end(), unique.nis.begin(), unique.nis.end());
  return {};
}

Result<std::uint32_t> parse_count(std::string_view text, std::uint32_t lo, const char* what) {
  std::uint32_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && rest == text.data() + text.size();
  if (!whole) return fail(-EINVAL, "invalid " + std::string(what) + " " + quoted(text));
  if (value < lo || value > (lo == 1 ? 255U : 0x7fffffffU))
    return fail(-EINVAL, std::string(what) + " " + quoted(text) + " out of range");
  return value;
}

/// Checks one gateway of a route, which may be a pattern but not any address.
Result<std::string> gateway_text(std::string_view word) {
  auto pattern = wire::NidPattern::parse(word);
  if (!pattern)
    return fail(-EINVAL, "invalid gateway " + quoted(word) + ": " + pattern.error().reason);
  if (pattern->address.is_any()) return fail(-EINVAL, "invalid gateway " + quoted(word));
  return std::string(word);
}

Result<std::vector<RouteText>> parse_route(std::string_view text) {
  auto words = split(text, kBlanks);
  if (!words) return tl::unexpected(words.error());
  std::erase_if(*words, [](std::string_view w) { return w.empty(); });
  std::vector<std::string> nets;
  std::vector<std::string> gateways;
  std::optional<std::uint32_t> hop;
  std::optional<std::uint32_t> priority;
  for (std::string_view word : *words) {
    if (word.find('@') == std::string_view::npos) {
      const bool digits = word.find_first_not_of("0123456789") == std::string_view::npos;
      if (digits && !nets.empty() && !hop && gateways.empty()) {
        auto count = parse_count(word, 1, "hopcount");
        if (!count) return tl::unexpected(count.error());
        hop = *count;
        continue;
      }
      if (hop || !gateways.empty() || !wire::NetPattern::parse(word))
        return fail(-EINVAL, "invalid net " + quoted(word) + " in route " + quoted(text));
      nets.emplace_back(word);
      continue;
    }
    // ":priority" follows the net of the last gateway; an IPv6 address has its colons before the @
    const std::size_t colon = word.find(':', word.find('@'));
    if (priority) return fail(-EINVAL, "text behind the priority in route " + quoted(text));
    if (colon != std::string_view::npos) {
      auto value = parse_count(word.substr(colon + 1), 0, "priority");
      if (!value) return tl::unexpected(value.error());
      priority = *value;
    }
    auto gateway = gateway_text(word.substr(0, colon));
    if (!gateway) return tl::unexpected(gateway.error());
    gateways.push_back(std::move(*gateway));
  }
  if (nets.empty() || gateways.empty())
    return fail(-EINVAL, "a route needs a net and a gateway: " + quoted(text));
  std::vector<RouteText> routes;
  for (const std::string& net : nets) {
    for (const std::string& gateway : gateways) routes.push_back({net, gateway, hop, priority});
  }
  return routes;
}

Result<Ip2NetsTextRule> parse_rule(std::string_view text) {
  // the nets end before a word that neither follows nor begins with a comma, nor begins with a
  // bracket
  auto words = split(text, kBlanks);
  if (!words) return tl::unexpected(words.error());
  Ip2NetsTextRule rule;
  std::string nets;
  for (const std::string_view word : *words) {
    if (word.empty()) continue;
    const bool more_nets =
        nets.empty() || nets.back() == ',' || word.front() == ',' || word.front() == '(';
    if (rule.patterns.empty() && more_nets) {
      nets += word;
      continue;
    }
    auto pattern = wire::AddressPattern::parse_ip(word);
    if (!pattern)
      return fail(-EINVAL, "invalid IP pattern " + quoted(word) + ": " + pattern.error().reason);
    rule.patterns.push_back(std::move(*pattern));
  }
  if (rule.patterns.empty()) return fail(-EINVAL, "rule " + quoted(text) + " has no IP pattern");
  auto parsed = parse_networks(nets);
  if (!parsed) return tl::unexpected(parsed.error());
  rule.nets = std::move(*parsed);
  return rule;
}

bool matches(const Ip2NetsTextRule& rule, const LocalInterface& interface) {
  const auto matching = [&](const Nid& address) {
    return std::any_of(rule.patterns.begin(), rule.patterns.end(),
                       [&](const wire::AddressPattern& p) { return p.matches(address); });
  };
  return interface.up &&
         std::any_of(interface.addresses.begin(), interface.addresses.end(), matching);
}

bool applies(const Ip2NetsTextRule& rule, std::span<const LocalInterface> interfaces) {
  return std::any_of(interfaces.begin(), interfaces.end(),
                     [&](const LocalInterface& i) { return matches(rule, i); });
}

}  // namespace

Result<std::vector<NetItem>> parse_networks(std::string_view text) {
  if (auto ok = check_text(text); !ok) return tl::unexpected(ok.error());
  auto parts = split(text, ",");
  if (!parts) return tl::unexpected(parts.error());
  std::vector<NetItem> nets;
  for (const std::string_view part : *parts) {
    if (text::trim(part).empty())
      return fail(-EINVAL, "Invalid network specification " + quoted(text) + ": a net is missing");
    auto net = parse_net(part);
    if (!net) return tl::unexpected(net.error());
    if (auto joined = join(nets, std::move(*net), true); !joined)
      return tl::unexpected(joined.error());
  }
  return nets;
}

Result<std::vector<Ip2NetsTextRule>> parse_ip2nets(std::string_view text) {
  if (auto ok = check_text(text); !ok) return tl::unexpected(ok.error());
  const std::string plain = without_comments(text);
  auto parts = split(plain, ";\n");
  if (!parts) return tl::unexpected(parts.error());
  std::vector<Ip2NetsTextRule> rules;
  for (const std::string_view part : *parts) {
    if (text::trim(part).empty()) continue;
    auto rule = parse_rule(part);
    if (!rule) return tl::unexpected(rule.error());
    rules.push_back(std::move(*rule));
  }
  if (rules.empty()) return fail(-EINVAL, "ip2nets has no rule");
  return rules;
}

Result<std::vector<NetItem>> match_ip2nets(std::span<const Ip2NetsTextRule> rules,
                                           std::span<const LocalInterface> interfaces) {
  std::vector<NetItem> nets;
  for (const Ip2NetsTextRule& rule : rules) {
    if (!applies(rule, interfaces)) continue;
    for (const NetItem& net : rule.nets) {
      if (auto joined = join(nets, net, false); !joined) return tl::unexpected(joined.error());
    }
  }
  if (nets.empty()) return fail(-ENOENT, "ip2nets: no rule matches an address of this machine");
  for (const NetItem& net : nets) {
    for (const NiItem& ni : net.nis) {
      const auto up = [&](const LocalInterface& i) { return i.name == ni.interface && i.up; };
      if (!ni.interface.empty() && std::none_of(interfaces.begin(), interfaces.end(), up)) {
        return fail(-ENOENT, "ip2nets: interface '" + ni.interface + "' is missing or down");
      }
    }
  }
  return nets;
}

std::vector<Ip2NetsTextRule> name_matching(std::vector<Ip2NetsTextRule> rules,
                                           std::span<const LocalInterface> interfaces) {
  for (Ip2NetsTextRule& rule : rules) {
    for (NetItem& net : rule.nets) {
      // "tcp" has no NI here, "tcp[0,1]" one without a name
      const bool unnamed = net.nis.empty() || net.nis.front().interface.empty();
      if (!unnamed) continue;
      const NiItem common = net.nis.empty() ? NiItem{} : net.nis.front();
      net.nis.clear();
      for (const LocalInterface& here : interfaces) {
        if (!matches(rule, here)) continue;
        net.nis.push_back(common);
        net.nis.back().interface = here.name;
      }
    }
  }
  return rules;
}

Result<std::vector<RouteText>> parse_routes(std::string_view text) {
  if (auto ok = check_text(text); !ok) return tl::unexpected(ok.error());
  const std::string plain = without_comments(text);
  auto parts = split(plain, ";\n");
  if (!parts) return tl::unexpected(parts.error());
  std::vector<RouteText> routes;
  for (const std::string_view part : *parts) {
    if (text::trim(part).empty()) continue;
    auto some = parse_route(part);
    if (!some) return tl::unexpected(some.error());
    routes.insert(routes.end(), some->begin(), some->end());
  }
  return routes;
}

Result<std::vector<NetItem>> resolve_networks(std::string_view networks, std::string_view ip2nets,
                                              std::span<const LocalInterface> interfaces) {
  if (!networks.empty() && !ip2nets.empty())
    return fail(-EINVAL, "networks and ip2nets exclude each other");
  Result<std::vector<NetItem>> nets;
  if (!networks.empty()) {
    nets = parse_networks(networks);
  } else if (!ip2nets.empty()) {
    auto rules = parse_ip2nets(ip2nets);
    if (!rules) return tl::unexpected(rules.error());
    nets = match_ip2nets(*rules, interfaces);
  }
  if (!nets) return nets;
  for (NetItem& net : *nets) {
    if (net.nis.empty()) net.nis.emplace_back();
    for (NiItem& ni : net.nis) {
      if (!ni.interface.empty()) continue;
      const LocalInterface* first = first_usable(interfaces);
      if (first == nullptr)
        return fail(-ENODEV, "net '" + net.net.to_string() + "': no usable interface");
      ni.interface = first->name;
    }
  }
  return nets;
}

}  // namespace ulnet::conf
