// Reads single keys of a site file: nets, bandwidths and other numbers, GUIDs.
#include <fmt/format.h>

#include <charconv>

#include "fgr/plan/kinds.h"
#include "fgr/plan/options.h"
#include "fgr/plan/planned.h"
#include "fgr/site/reading.h"
#include "lnet/base/printable.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {
namespace {

using plan::FileSystem;

constexpr std::string_view kGeneric = "generic";
/// Returns the names of `kinds`, and generic.
std::vector<std::string_view> kind_names(const std::vector<plan::Kind>& kinds) {
  std::vector<std::string_view> names;
  for (const plan::Kind& kind : kinds) names.push_back(kind.name);
  names.push_back(kGeneric);
  return names;
}

}  // namespace

std::optional<NetId> SiteReading::net(text::Fields& fields, bool of_servers) {
  const conf::YamlNode* value = fields.need("net");
  return value == nullptr ? std::nullopt : net_in(fields, *value, of_servers);
}

std::optional<NetId> SiteReading::net_in(text::Fields& fields, const conf::YamlNode& value,
                                         bool of_servers) {
  const auto id = NetId::parse(value.text);
  if (value.is_scalar() && id) {
    if (id->type != NetType::kLo && !(of_servers && plan::is_numbered(*id))) return *id;
    fields.wrong(value, fmt::format("{} is no net of {}", id->to_string(),
                                    of_servers ? "servers: they have IPv4 addresses, as on o2ib6000"
                                               : "clients: it does not leave the host"));
    return std::nullopt;
  }
  fields.wrong(value, fmt::format("'{}' is no net: {}", value.shown(),
                                  id ? "a text as o2ib6000" : id.error().reason));
  return std::nullopt;
}

/// Reads the net among servers. The planner checks whether others use this net.
void SiteReading::read_net_among_servers(text::Fields& fields, FileSystem& system) {
  const conf::YamlNode* value = fields.take("net among servers");
  if (value == nullptr) return;
  note_place(*value, plan::place_of_net_among_servers(system));
  const auto id = net_in(fields, *value, false);
  if (!id || system.base.is_any()) return;  // the mistake has been reported
  if (system.flat())
    return fields.wrong(
        *value, fmt::format("all servers are on {} already, as 'groups by: none' says: leave "
                            "'net among servers' out",
                            system.base.to_string()));
  if (id->type != system.base.type)
    return fields.wrong(*value, fmt::format("{} is of another type than 'net', {}: servers have "
                                            "both on the same interface",
                                            id->to_string(), system.base.to_string()));
  system.among_servers = *id;
}

std::optional<double> SiteReading::bandwidth(const conf::YamlNode& value) {
  return number(value, kSlowest, kFastest,
                "no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6");
}

std::optional<double> SiteReading::number(const conf::YamlNode& value, double least, double most,
                                          std::string_view wrong_what) {
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto read = std::from_chars(value.text.data(), end, number);
  if (value.is_scalar() && read.ec == std::errc{} && read.ptr == end && number >= least &&
      number <= most)
    return number;
  wrong(value, fmt::format("'{}' is {}", value.shown(), wrong_what));
  return std::nullopt;
}

void SiteReading::read_bandwidth(text::Fields& fields, const std::vector<plan::Kind>& kinds,
                                 double& out) {
  const conf::YamlNode* kind = fields.take("kind");
  const conf::YamlNode* value = fields.take("GB per s");
  const auto names = kind_names(kinds);
  bool generic = kind == nullptr;
  if (kind != nullptr) {
    generic = kind->text == kGeneric;
    if (const auto known = plan::bandwidth_of(kinds, kind->text))
      out = *known;
    else if (!generic)
      fields.wrong(*kind, fmt::format("'{}' is no known kind: {}{}", kind->shown(),
                                      fmt::join(names, ", "), plan::suggestion(kind->text, names)));
  }
  if (value != nullptr) {
    if (const auto number = bandwidth(*value)) out = *number;
  } else if (generic) {
    wrong(fields.map(), "'GB per s' is missing: what each host moves at peak");
  }
}

plan::Guid SiteReading::guid(const conf::YamlNode& at, std::string_view word) {
  if (const auto guid = plan::parse_guid(word); guid.value_or(0) != 0) return *guid;
  wrong(at, fmt::format("{} is no GUID: 16 hexadecimal digits, as 0x0002c90300a10010",
                        text::quoted(word)));
  return 0;
}

std::vector<plan::Guid> SiteReading::guids(text::Fields& fields, std::size_t count) {
  std::vector<plan::Guid> found;
  const conf::YamlNode* value = fields.map().find("guid");
  for (const std::string& word : words(fields, "guid", false, count)) {
    found.push_back(guid(*value, word));
    if (found.back() != 0 && !adapters_.insert(found.back()).second)
      wrong(*value, "another host has the GUID " + word);
  }
  return found;
}

}  // namespace ulnet::tools::fgr
