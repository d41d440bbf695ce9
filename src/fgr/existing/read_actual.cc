#include "fgr/existing/read_actual.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "admin/conf/modprobe.h"
#include "admin/conf/yaml_in.h"
#include "lnet/base/limits.h"
#include "lnet/base/nearest_word.h"
#include "lnet/base/text.h"
#include "lnet/config/modparams.h"
#include "lnet/config/plain_text.h"
#include "lnet/config/routes.h"
#include "lnet/config/routes_text.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::tools::fgr {
namespace {

/// The most patterns of addresses, for all nets of a file together.
constexpr std::size_t kMaxPatterns = 65'536;

/// Whether a line at the left edge begins a section of lnetctl's YAML.
bool has_section(std::string_view text) {
  constexpr auto kSections =
      std::to_array<std::string_view>({"net", "ip2nets", "route", "routing", "buffers", "global"});
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view rest = text::trim(line.substr(colon + 1));
    if (!rest.empty() && std::string_view("[{#~").find(rest.front()) == std::string_view::npos)
      continue;
    if (std::ranges::find(kSections, line.substr(0, colon)) != kSections.end()) return true;
  }
  return false;
}

bool blank(std::string_view text) { return text::trim(text).empty(); }

/// Whether the text begins with the name of a net: "tcp", "o2ib6002:", "gni[1-2]", "tcp(eth0)".
bool begins_with_net(std::string_view plain) {
  const std::string_view text = text::trim(plain);
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n:(,;"));
  return wire::NetPattern::parse(word).has_value() && word != "*";
}

class ModuleTexts {
 public:
  ModuleTexts(const conf::PlainText& in, plan::Actual& out) : in_(in), out_(out) {}

  conf::Parsed<void> params(bool with_modules) {
    conf::Problems notes;
    const auto params =
        with_modules ? conf::read_modprobe(in_, notes) : conf::read_assignments(in_, in_.text());
    if (!params) return tl::unexpected(params.error());
    std::map<std::string_view, const conf::ModuleParam*>
        last;  // if one is given twice, the later one counts
    for (const conf::ModuleParam& param : *params)
      if (!with_modules || conf::is_module(param.module, "lnet")) {
        if (auto known = look_at_name(param.name); !known) return known;
        last[param.name] = &param;
      }
    if (last.contains("networks") && last.contains("ip2nets"))
      return in_.wrong(last["ip2nets"]->name,
                       "networks= and ip2nets= are both given, and LNet does not start with both");
    for (const conf::ModuleParam& param : *params)
      if (const auto at = last.find(param.name); at != last.end() && at->second == &param)
        if (auto read = take(param); !read) return read;
    return {};
  }

  conf::Parsed<void> routes(std::string_view part) {
    out_.has_routes = true;
    const auto rules = conf::read_routes(in_, part);
    if (!rules) return tl::unexpected(rules.error());
    for (const conf::RouteRule& rule : *rules)
      for (const std::string_view net : rule.nets)
        for (const std::string_view gateway : rule.gateways)
          if (auto added = add(rule, net, gateway); !added) return added;
    return {};
  }

  conf::Parsed<void> ip2nets(std::string_view part) {
    out_.has_nets = true;
    if (blank(part)) return {};
    const auto rules = conf::read_ip2nets(in_, part);
    if (!rules) return tl::unexpected(rules.error());
    for (const conf::RuleText& rule : *rules) {
      std::vector<wire::AddressPattern> patterns;
      for (const std::string_view word : rule.patterns)
        if (auto pattern = wire::AddressPattern::parse_ip(word))
          patterns.push_back(std::move(*pattern));
      for (const conf::NetText& net : rule.nets) {
        patterns_ += patterns.size();
        if (patterns_ > kMaxPatterns)
          return in_.wrong(net.name, fmt::format("more than {} patterns", kMaxPatterns), -E2BIG);
        // for "tcp" the list is empty, for "tcp[0,1]" its NI has no name
        const auto& nis = net.item.nis;
        out_.nets.push_back({net.item.net,
                             patterns,
                             {},
                             in_.place_of(net.name),
                             nis.empty() || nis.front().interface.empty()});
      }
    }
    return {};
  }

 private:
  /// LNet ignores an unknown parameter except for a line in the log.
  conf::Parsed<void> look_at_name(std::string_view name) {
    constexpr auto kKnown =
        std::to_array<std::string_view>({"networks", "ip2nets", "routes", "forwarding"});
    const std::string_view meant = text::nearest_word(name, kKnown);
    if (meant.empty() || meant == name) return {};
    return in_.wrong(name, fmt::format("{} is no parameter of lnet: did you mean '{}'?",
                                       text::quoted(name), meant));
  }

  conf::Parsed<void> take(const conf::ModuleParam& param) {
    if (param.name == "forwarding") {
      if (param.value == "disabled" || param.value == "enabled")
        out_.routing = param.value == "enabled";
      return {};
    }
    if (param.name != "networks" && param.name != "ip2nets" && param.name != "routes") return {};
    out_.parameters.push_back(
        {std::string(param.name) + "=", length_of(param.value), in_.place_of(param.name)});
    return param.name == "routes"    ? routes(param.value)
           : param.name == "ip2nets" ? ip2nets(param.value)
                                     : networks(param.value);
  }

  conf::Parsed<void> networks(std::string_view part) {
    out_.has_nets = true;
    const auto nets = conf::read_networks(in_, part);
    if (!nets) return tl::unexpected(nets.error());
    for (const conf::NetText& net : *nets)
      out_.nets.push_back({net.item.net, {}, {}, in_.place_of(net.name)});
    return {};
  }

  conf::Parsed<void> add(const conf::RouteRule& rule, std::string_view net,
                         std::string_view gateway) {
    const auto ends = conf::expand_ends(net, gateway);
    if (!ends) return in_.wrong(net, ends.error().reason, ends.error().code);
    if (out_.routes.size() + ends->nets.size() * ends->gateways.size() > conf::kRoutesMax)
      return in_.wrong(net, conf::kTooManyRoutes, -E2BIG);
    const conf::Place place = in_.place_of(net);
    for (const NetId& to : ends->nets)
      for (const Nid& by : ends->gateways)
        out_.routes.push_back({to, by, rule.hop ? static_cast<std::int32_t>(*rule.hop) : -1,
                               rule.priority.value_or(0), place});
    return {};
  }

  /// Returns the length of the value as modprobe passes it to the module: modprobe removes a
  /// backslash and the line end after it, and keeps blanks.
  std::size_t length_of(std::string_view value) const {
    std::size_t length = 0;
    while (!value.empty()) {
      const std::size_t joint = in_.continuation_at(value);
      length += joint == 0 ? 1 : 0;
      value.remove_prefix(std::max<std::size_t>(joint, 1));
    }
    return length;
  }

  const conf::PlainText& in_;
  plan::Actual& out_;
  std::size_t patterns_ = 0;
};

}  // namespace

FileKind kind_of(std::string_view file_name, std::string_view text) {
  if (text.size() > limits::kConfigTextMax || !text::is_utf8(text)) text = {};
  const conf::PlainText in(text);
  if (blank(in.text())) {
    if (file_name.ends_with(".routes")) return FileKind::kRoutes;
    const bool yaml = file_name.ends_with(".yaml") || file_name.ends_with(".yml");
    return yaml ? FileKind::kLnetctl : FileKind::kOther;
  }
  if (has_section(text)) return FileKind::kLnetctl;
  if (conf::has_options(in) || conf::begins_with_assignment(text::trim(in.text())))
    return FileKind::kModprobe;
  if (!begins_with_net(in.text())) return FileKind::kOther;
  return in.text().find_first_of("@{") != std::string_view::npos ? FileKind::kRoutes
                                                                 : FileKind::kIp2nets;
}

conf::Parsed<plan::Actual> read_actual(std::string_view file_name, std::string_view text,
                                       FileKind kind) {
  plan::Actual actual;
  actual.file = std::string(file_name);
  if (kind == FileKind::kOther) return actual;
  if (text.size() > limits::kConfigTextMax)
    return tl::unexpected(conf::Problem{{}, "the text is longer than 16 MiB", -E2BIG});
  if (!text::is_utf8(text)) return tl::unexpected(conf::Problem{{}, "the text is not UTF-8"});
  if (kind == FileKind::kLnetctl) {
    auto read = read_lnetctl(text, actual);
    if (!read) return tl::unexpected(std::move(read.error()));
    return actual;
  }
  actual.shared = true;
  const conf::PlainText in(text);
  ModuleTexts texts(in, actual);
  auto read = kind == FileKind::kRoutes    ? texts.routes(in.text())
              : kind == FileKind::kIp2nets ? texts.ip2nets(in.text())
                                           : texts.params(conf::has_options(in));
  if (!read) return tl::unexpected(std::move(read.error()));
  return actual;
}

conf::Parsed<plan::Actual> check_text(std::string_view file_name, std::string_view text) {
  return read_actual(file_name, text, kind_of(file_name, text));
}

}  // namespace ulnet::tools::fgr
