#include "lnet/config/modparams.h"

#include <algorithm>

#include "lnet/base/text.h"
#include "lnet/config/cpt_list.h"
#include "lnet/config/param_words.h"

namespace ulnet::conf {

namespace {

/// Removes the next piece after a net's name from `rest`: "(...)", "[...]" or ":0".
std::string_view take_piece(std::string_view& rest) {
  const std::size_t end = rest.front() == ':' ? std::min(rest.find_first_of("(["), rest.size())
                                              : rest.find(rest.front() == '(' ? ')' : ']') + 1;
  const std::string_view piece = text::trim(rest.substr(0, end));
  rest = text::trim(rest.substr(end));
  return piece;
}

constexpr const char* kInvalidNet = "Invalid network specification ";

/// Reads a net such as "tcp1(eth0[0,1],eth1)[2-3]". The CPT list of the net applies to interfaces
/// without a list. The list may also come before the interfaces, or be a number behind a colon as
/// in the SMP design: "tcp1[2-3](eth1)", "tcp1:2(eth1)". The brackets of the net are balanced.
class NetReader {
 public:
  NetReader(const PlainText& in, std::string_view written)
      : in_(in), written_(written), spec_(text::trim(written)) {}

  Parsed<NetText> read() {
    const std::size_t name_end = std::min(spec_.find_first_of("([:"), spec_.size());
    net_.name = text::trim(spec_.substr(0, name_end));
    const auto id = NetId::parse(net_.name);
    if (!id || id->is_any()) return invalid(spec_);
    net_.item.net = *id;
    for (std::string_view rest = text::trim(spec_.substr(name_end)); !rest.empty();) {
      const char kind = rest.front();
      if (kind != '(' && kind != '[' && kind != ':') return behind(rest);
      if (auto piece = kind == '(' ? interfaces(rest) : cpts(rest); !piece)
        return tl::unexpected(std::move(piece.error()));
    }
    // "tcp[0,1]" is the first usable interface with these CPTs, for which the list needs an entry
    if (net_.item.nis.empty() && !cpts_.empty()) net_.item.nis.emplace_back();
    for (NiItem& ni : net_.item.nis)
      if (ni.cpts.empty()) ni.cpts = cpts_;
    return std::move(net_);
  }

 private:
  tl::unexpected<Problem> invalid(std::string_view at) const {
    return in_.wrong(at, kInvalidNet + quoted_word(written_));
  }
  /// The problem of a text behind a net. If another net begins there, its reason says that a comma
  /// is missing.
  tl::unexpected<Problem> behind(std::string_view rest) const {
    const bool is_net = NetId::parse(rest.substr(0, rest.find_first_of("([: \t\r\n"))).has_value();
    return in_.wrong(rest, kInvalidNet + quoted_word(written_) +
                               (is_net ? ": Multiple network rules must be separated" : ""));
  }

  Parsed<void> interfaces(std::string_view& rest) {
    if (!net_.interfaces.empty()) return invalid(rest);
    const std::string_view piece = take_piece(rest);
    const std::string_view list = piece.substr(1, piece.size() - 2);
    auto nis = parse_interface_list(list);
    if (!nis)
      return in_.wrong(piece, nis.error().reason + " in " + quoted_word(written_),
                       nis.error().code);
    auto names = split(in_, list, ",");
    if (!names) return tl::unexpected(std::move(names.error()));
    for (const std::string_view name : *names) net_.interfaces.push_back(text::trim(name));
    net_.item.nis = std::move(*nis);
    return {};
  }
  Parsed<void> cpts(std::string_view& rest) {
    const bool colon = rest.front() == ':';
    if (!cpts_.empty() || (colon && !net_.interfaces.empty())) return invalid(rest);
    const std::string_view piece = take_piece(rest);
    net_.cpts = colon ? text::trim(piece.substr(1)) : piece;
    auto list = parse_cpt_list(net_.cpts);
    if (!list)
      return in_.wrong(piece,
                       "invalid CPT list in " + quoted_word(written_) + ": " + list.error().reason,
                       list.error().code);
    cpts_ = std::move(*list);
    return {};
  }

  const PlainText& in_;
  const std::string_view written_, spec_;
  NetText net_;
  std::vector<std::uint32_t> cpts_;
};

/// Adds a net to a list. A duplicate interface of the net is an error if `duplicate_is_error`, else
/// it is added once.
Result<void> join(std::vector<NetItem>& nets, NetItem more, bool duplicate_is_error) {
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
    if (again && duplicate_is_error) return doubled();
    if (!again) unique.nis.push_back(std::move(ni));
  }
  if (at == nets.end()) {
    nets.push_back(std::move(unique));
    return {};
  }
  const bool default_again = more.nis.empty() || at->nis.empty();
  if (default_again && duplicate_is_error) return doubled();
  at->nis.insert(at->nis.end(), unique.nis.begin(), unique.nis.end());
  return {};
}

/// Whether the word begins like a net with interfaces: "tcp1", "o2ib(ib0)".
bool is_net(std::string_view word) {
  return NetId::parse(word.substr(0, word.find_first_of("([:"))).has_value();
}

/// Reads a rule. Its nets end before the first word that does not follow a comma and begins with
/// neither a comma nor "(".
Parsed<RuleText> read_rule(const PlainText& in, std::string_view text) {
  const auto words = words_of(in, text);
  if (!words) return tl::unexpected(words.error());
  RuleText rule;
  std::string_view nets;
  for (const std::string_view word : *words) {
    const bool more_nets =
        nets.empty() || nets.back() == ',' || word.front() == ',' || word.front() == '(';
    if (rule.patterns.empty() && more_nets) {
      nets = from_to(nets.empty() ? word : nets, word);
      continue;
    }
    if (const auto pattern = wire::AddressPattern::parse_ip(word); !pattern) {
      if (is_net(word))
        return in.wrong(word, "Multiple network rules must be separated by ';' or a line end: " +
                                  quoted_word(text));
      return in.wrong(word,
                      "invalid ip pattern " + quoted_word(word) + ": " + pattern.error().reason);
    }
    rule.patterns.push_back(word);
  }
  if (rule.patterns.empty())
    return in.wrong(text, "rule " + quoted_word(text) + " has no ip pattern");
  auto read = read_networks(in, nets);
  if (!read) return tl::unexpected(std::move(read.error()));
  rule.nets = std::move(*read);
  return rule;
}

bool names(const Ip2NetsTextRule& rule, const LocalInterface& interface) {
  return std::ranges::any_of(rule.nets, [&](const NetItem& net) {
    return std::ranges::any_of(net.nis,
                               [&](const NiItem& ni) { return ni.interface == interface.name; });
  });
}

/// Whether an address of the interface matches the rule. A loopback interface counts only if the
/// rule names it.
bool matches(const Ip2NetsTextRule& rule, const LocalInterface& interface) {
  if (!selectable(interface) && !names(rule, interface)) return false;
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

Parsed<std::vector<NetText>> read_networks(const PlainText& in, std::string_view part) {
  auto pieces = split(in, part, ",");
  if (!pieces) {
    pieces.error().reason = kInvalidNet + quoted_word(part) + ": " + pieces.error().reason;
    return tl::unexpected(std::move(pieces.error()));
  }
  std::vector<NetText> nets;
  std::vector<NetItem> joined;
  for (const std::string_view piece : *pieces) {
    if (text::trim(piece).empty())
      return in.wrong(piece, kInvalidNet + quoted_word(part) + ": a net is missing");
    auto net = NetReader(in, piece).read();
    if (!net) return tl::unexpected(std::move(net.error()));
    if (auto good = join(joined, net->item, true); !good)
      return in.wrong(piece, good.error().reason, good.error().code);
    nets.push_back(*std::move(net));
  }
  return nets;
}

Result<std::vector<NetItem>> parse_networks(std::string_view text) {
  if (auto good = check_param_text(text); !good) return tl::unexpected(good.error());
  const PlainText in(text);
  auto read = without_place(read_networks(in, in.text()));
  if (!read) return tl::unexpected(read.error());
  std::vector<NetItem> nets;
  for (NetText& net : *read)
    if (auto joined = join(nets, std::move(net.item), true); !joined)
      return tl::unexpected(joined.error());
  return nets;
}

Parsed<std::vector<RuleText>> read_ip2nets(const PlainText& in, std::string_view part) {
  const auto pieces = split(in, part, ";\n");
  if (!pieces) return tl::unexpected(pieces.error());
  std::vector<RuleText> rules;
  for (const std::string_view piece : *pieces) {
    if (text::trim(piece).empty()) continue;
    auto rule = read_rule(in, piece);
    if (!rule) return tl::unexpected(std::move(rule.error()));
    rules.push_back(*std::move(rule));
  }
  return rules;
}

Result<std::vector<Ip2NetsTextRule>> parse_ip2nets(std::string_view text) {
  if (auto good = check_param_text(text); !good) return tl::unexpected(good.error());
  const PlainText in(text);
  auto read = without_place(read_ip2nets(in, in.text()));
  if (!read) return tl::unexpected(read.error());
  std::vector<Ip2NetsTextRule> rules;
  for (RuleText& rule : *read) {
    Ip2NetsTextRule& made = rules.emplace_back();
    for (const std::string_view pattern : rule.patterns)
      made.patterns.push_back(wire::AddressPattern::parse_ip(pattern).value());
    for (NetText& net : rule.nets)
      if (auto joined = join(made.nets, std::move(net.item), true); !joined)
        return tl::unexpected(joined.error());
  }
  if (rules.empty()) return fail(-EINVAL, "ip2nets has no rule");
  return rules;
}

Result<std::vector<NetItem>> match_ip2nets(std::span<const Ip2NetsTextRule> rules,
                                           std::span<const LocalInterface> interfaces,
                                           HasDriver has_driver) {
  std::vector<NetItem> nets;
  for (const Ip2NetsTextRule& rule : rules) {
    if (!applies(rule, interfaces)) continue;
    for (const NetItem& net : rule.nets) {
      if (auto joined = join(nets, net, false); !joined) return tl::unexpected(joined.error());
    }
  }
  if (nets.empty()) return fail(-ENOENT, "ip2nets: no rule matches an address of this machine");
  for (const NetItem& net : nets) {
    if (has_driver != nullptr && !has_driver(net.net.type)) continue;
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
        if (!selectable(here) || !matches(rule, here)) continue;
        net.nis.push_back(common);
        net.nis.back().interface = here.name;
      }
    }
    std::erase_if(rule.nets, [](const NetItem& net) { return net.nis.empty(); });
  }
  return rules;
}

namespace {

/// The first selectable() interface that the rule matches; null for none.
const LocalInterface* first_matching(const Ip2NetsTextRule& rule,
                                     std::span<const LocalInterface> interfaces) {
  const auto at = std::ranges::find_if(interfaces, [&](const LocalInterface& here) {
    return selectable(here) && matches(rule, here);
  });
  return at == interfaces.end() ? nullptr : &*at;
}

/// Gives the first matching interface to the nets of a rule that name none.
void name_first(Ip2NetsTextRule& rule, std::span<const LocalInterface> interfaces) {
  const LocalInterface* const first = first_matching(rule, interfaces);
  const auto names_none = [](const NetItem& net) {
    return net.nis.empty() || net.nis.front().interface.empty();
  };
  if (first == nullptr) return (void)std::erase_if(rule.nets, names_none);
  for (NetItem& net : rule.nets) {
    if (net.nis.empty()) net.nis.emplace_back();
    for (NiItem& ni : net.nis)
      if (ni.interface.empty()) ni.interface = first->name;
  }
}

Result<std::vector<NetItem>> resolve_ip2nets(std::string_view ip2nets,
                                             std::span<const LocalInterface> interfaces,
                                             HasDriver has_driver) {
  auto rules = parse_ip2nets(ip2nets);
  if (!rules) return tl::unexpected(rules.error());
  for (Ip2NetsTextRule& rule : *rules) {
    if (applies(rule, interfaces)) name_first(rule, interfaces);
  }
  return match_ip2nets(*rules, interfaces, has_driver);
}

}  // namespace

std::vector<std::string> remarks_on_ip2nets(std::string_view ip2nets,
                                            std::span<const LocalInterface> interfaces,
                                            HasDriver has_driver) {
  std::vector<std::string> remarks;
  auto rules = parse_ip2nets(ip2nets);
  if (!rules) return remarks;
  for (Ip2NetsTextRule& rule : *rules) {
    if (!applies(rule, interfaces)) continue;
    std::erase_if(rule.nets, [&](const NetItem& net) {
      return has_driver != nullptr && !has_driver(net.net.type);
    });
    for (const LocalInterface& here : interfaces)
      if (here.up && names(rule, here) && !matches(rule, here))
        remarks.push_back("interface '" + here.name +
                          "' is used, although its rule matches the address of another interface");
  }
  return remarks;
}

Result<std::vector<NetItem>> resolve_networks(std::string_view networks, std::string_view ip2nets,
                                              std::span<const LocalInterface> interfaces,
                                              HasDriver has_driver) {
  if (!networks.empty() && !ip2nets.empty())
    return fail(-EINVAL, "networks and ip2nets exclude each other");
  Result<std::vector<NetItem>> nets = ip2nets.empty()
                                          ? parse_networks(networks.empty() ? "tcp" : networks)
                                          : resolve_ip2nets(ip2nets, interfaces, has_driver);
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
