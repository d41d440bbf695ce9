#include "admin/api/changes.h"

#include <string>
#include <utility>

#include "admin/conf/fault_trees.h"
#include "admin/conf/policy_trees.h"
#include "admin/conf/route_entry.h"
#include "lnet/base/limits.h"
#include "lnet/catalog/known_drivers.h"
#include "lnet/config/globals.h"
#include "lnet/config/ni_values.h"
#include "lnet/config/params.h"

namespace ulnet::api {

using namespace conf::change;

namespace {

constexpr std::int64_t kInt32Max = INT32_MAX;

std::optional<std::int32_t> narrow(std::optional<std::int64_t> number) {
  if (!number) return {};
  return static_cast<std::int32_t>(*number);
}

Result<void> read(Fields tunables, conf::CommonTunables& to) {
  // The node refuses numbers below -1, but first an NI that exists already.
  to.peer_timeout = narrow(tunables.integer("peer_timeout", INT32_MIN, kInt32Max));
  to.peer_credits = narrow(tunables.integer("peer_credits", 0, kInt32Max));
  to.peer_buffer_credits = narrow(tunables.integer("peer_buffer_credits", 0, kInt32Max));
  to.credits = narrow(tunables.integer("credits", 0, kInt32Max));
  return tunables.finish();
}

/// Reads drivers' tunables of NIs. Refuses those that an NI of `net` does not have. `running`:
/// reads only those that can be changed while the NI runs.
void read(Fields& from, std::optional<NetId> net, bool running, conf::LndTunables& to) {
  for (const conf::LndTunable& tunable : lnd::all_ni_tunables()) {
    if (running && !tunable.while_running) continue;
    if (from.has(tunable.name) && lnd::find_ni_tunable(net, tunable.name) == nullptr)
      from.refuse(-EINVAL, lnd::lacks_tunable(net, tunable.name));
    const auto number = narrow(from.integer(tunable.name, tunable.range.min, tunable.range.max));
    if (number) to.emplace(tunable.name, *number);
  }
}

Result<void> read(Fields tunables, std::optional<NetId> net, conf::LndTunables& to) {
  read(tunables, net, false, to);
  return tunables.finish();
}

Result<void> read(const Json& body, AddNi& to) {
  Fields fields(body);
  const auto net = fields.text("net");
  const auto interface = fields.text("interface");
  to.ni.nid = fields.nid("nid");
  if (auto cpts = fields.numbers("CPT", limits::kMaxCpts)) to.ni.cpts = std::move(*cpts);
  const std::string of_nid = to.ni.nid ? to.ni.nid->net().to_string() : std::string();
  const auto parsed = conf::parse_settable_net(net ? *net : of_nid);
  const auto known = parsed ? std::optional(*parsed) : std::nullopt;
  const auto common = read(fields.object("tunables"), to.ni.tunables);
  const auto driver = read(fields.object("lnd tunables"), known, to.ni.lnd_tunables);
  for (const auto* done : {&common, &driver})
    if (!*done) fields.refuse(done->error().code, done->error().reason);
  if (!net && !to.ni.nid) fields.refuse(-EINVAL, "'net' or 'nid' is missing");
  if (!interface && !to.ni.nid)
    fields.refuse(-EINVAL, "creating a local NI needs at least one interface");
  if (auto finished = fields.finish(); !finished) return finished;
  if (interface) to.ni.interface = *interface;
  if (!parsed) return tl::unexpected(parsed.error());
  to.net = *parsed;
  if (to.ni.nid && to.ni.nid->net() != to.net)
    return fail(-EINVAL, "'nid' is of another net than 'net'");
  return {};
}

Result<void> read(const Json& body, DelNi& to) {
  Fields fields(body);
  const auto net = fields.text("net");
  to.interface = fields.text("interface");
  to.nid = fields.nid("nid");
  if (!net && !to.nid) fields.refuse(-EINVAL, "'net' or 'nid' is missing");
  if (to.nid && (net || to.interface))
    fields.refuse(-EINVAL, "'nid' excludes 'net' and 'interface'");
  if (auto finished = fields.finish(); !finished) return finished;
  const auto parsed = conf::parse_settable_net(to.nid ? to.nid->net().to_string() : *net);
  if (!parsed) return tl::unexpected(parsed.error());
  to.net = *parsed;
  return {};
}

/// The tunables that can be changed while an NI runs, each after a comma.
std::string settable_tunables() {
  std::string names;
  for (const conf::LndTunable& tunable : lnd::all_ni_tunables())
    if (tunable.while_running) names += ", '" + std::string(tunable.name) + "'";
  return names;
}

Result<void> read(const Json& body, SetNi& to) {
  Fields fields(body);
  to.nid = fields.nid("nid");
  const bool all = fields.boolean("all").value_or(false);
  const auto net = fields.text("net");
  const auto health = fields.integer("health", INT32_MIN, kInt32Max);
  if (health) to.health = narrow(conf::health_of(*health));
  read(fields, to.nid ? std::optional(to.nid->net()) : std::nullopt, true, to.tunables);
  to.lnd_timeout = narrow(fields.integer("lnd_timeout", 0, kInt32Max));
  if (fields.has("CPT")) return fail(-EOPNOTSUPP, std::string(conf::kCptIsFixed));
  if (to.lnd_timeout.has_value() != net.has_value())
    fields.refuse(-EINVAL, "'net' and 'lnd_timeout' go together");
  const bool of_nis = to.health || !to.tunables.empty();
  if (of_nis && to.nid.has_value() == all)
    fields.refuse(-EINVAL, "either 'nid' or 'all' must say which interfaces to set");
  if (!of_nis && !to.lnd_timeout)
    fields.refuse(-EINVAL, "nothing to set: 'health'" + settable_tunables() + " or 'lnd_timeout'");
  if (auto finished = fields.finish(); !finished) return finished;
  if (!net) return {};
  const auto parsed = conf::parse_settable_net(*net);
  if (!parsed) return tl::unexpected(parsed.error());
  to.net = *parsed;
  return {};
}

Result<void> read(const Json& body, AddPeer& to) {
  Fields fields(body);
  const auto primary = fields.one_nid("primary nid");
  to.nids = fields.nids("nids", conf::kPeerNidsMax).value_or(std::vector<Nid>());
  to.multi_rail = fields.boolean("Multi-Rail").value_or(true);
  to.lock_primary = fields.boolean("lock").value_or(false);
  if (!primary) fields.refuse(-EINVAL, "'primary nid' is missing");
  to.primary = primary.value_or(Nid());
  return fields.finish();
}

Result<void> read(const Json& body, DelPeer& to) {
  Fields fields(body);
  const auto primary = fields.nid("primary nid");
  to.nids = fields.nids("nids", conf::kPeerNidsMax).value_or(std::vector<Nid>());
  to.force = fields.boolean("force").value_or(false);
  if (!primary) fields.refuse(-EINVAL, "'primary nid' is missing");
  to.primary = primary.value_or(Nid());
  return fields.finish();
}

Result<void> read(const Json& body, SetPeer& to) {
  Fields fields(body);
  to.nid = fields.one_nid("nid");
  const bool all = fields.boolean("all").value_or(false);
  const auto health = fields.integer("health", INT32_MIN, kInt32Max);
  const auto state = fields.integer("state", 0, UINT32_MAX);
  if (health && *health < 0) fields.refuse(-EINVAL, "'health' must be 0 or more");
  if (!health && !state) fields.refuse(-EINVAL, "nothing to set: 'health' or 'state'");
  if (to.nid.has_value() == all)
    fields.refuse(-EINVAL, "either 'nid' or 'all' must say which peer interfaces to set");
  if (state && all) fields.refuse(-EINVAL, "'state' can be set for one peer only");
  if (health) to.health = narrow(conf::health_of(*health));
  if (state) to.state = static_cast<std::uint32_t>(*state);
  return fields.finish();
}

/// All names and types are checked before any setting is set.
Result<void> read(const Json& body, SetGlobals& to) {
  if (body.empty()) return fail(-EINVAL, "nothing to set");
  for (const auto& [name, value] : body.items()) {
    if (conf::find_global(name) == nullptr) return fail(-EINVAL, "unknown key '" + name + "'");
    if (!value.is_number_integer()) return fail(-EINVAL, "'" + name + "' must be an integer");
    const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
    to.values.emplace_back(name, huge ? INT64_MAX : value.get<std::int64_t>());
  }
  return {};
}

/// Returns the text of a parameter's JSON value, which may be "7", 7 or true.
std::optional<std::string> text_of_param(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_integer()) return value.dump();
  return {};
}

/// All values are checked before any of them is set.
Result<void> read(const Json& body, SetParams& to) {
  if (body.empty()) return fail(-EINVAL, "nothing to set");
  for (const auto& [name, value] : body.items()) {
    const auto text = text_of_param(value);
    if (!text) return fail(-EINVAL, "'" + name + "' must be a text or a number");
    const auto checked = conf::check_param(name, *text);
    if (!checked) return tl::unexpected(checked.error());
    to.values.emplace_back(name, *checked);
  }
  return {};
}

Result<void> read(const Json& body, AddPolicy& to) {
  Fields fields(body);
  const std::string src = fields.text("src").value_or("");
  const std::string dst = fields.text("dst").value_or("");
  const std::string rte = fields.text("rte").value_or("");
  const auto priority = fields.integer("priority", 0, core::udsp::kPriorityMax);
  const auto idx = fields.integer("idx", 0, kInt32Max);
  if (auto finished = fields.finish(); !finished) return finished;
  auto rule = core::udsp::parse_rule({src, dst, rte, priority});
  if (!rule) return tl::unexpected(rule.error());
  to.rule = *std::move(rule);
  to.idx = idx;
  return {};
}

Result<void> read(const Json& body, DelPolicy& to) {
  Fields fields(body);
  const auto idx = fields.integer("idx", 0, kInt32Max);
  const bool all = fields.boolean("all").value_or(false);
  if (idx.has_value() == all) fields.refuse(-EINVAL, "either 'idx' or 'all' must be given");
  to.idx = idx;
  return fields.finish();
}

Result<void> read(Fields& fields, conf::Selection& to) {
  const std::string type = fields.text("type").value_or("");
  const std::string net = fields.text("net").value_or("");
  const std::string nid = fields.text("nid").value_or("");
  const std::string local = fields.text("local").value_or("");
  const std::string remote = fields.text("remote").value_or("");
  const auto priority = fields.integer("priority", 0, core::udsp::kPriorityMax);
  if (auto finished = fields.finish(); !finished) return finished;
  auto selection = conf::parse_selection({type, net, nid, local, remote, priority});
  if (!selection) return tl::unexpected(selection.error());
  to = *std::move(selection);
  return {};
}

Result<void> read(const Json& body, AddSelection& to) {
  Fields fields(body);
  return read(fields, to.selection);
}

Result<void> read(const Json& body, DelSelection& to) {
  Fields fields(body);
  to.id = fields.integer("id", 0, INT64_MAX);
  if (fields.has("priority")) fields.refuse(-EINVAL, "'priority' does not say which to delete");
  return read(fields, to.match);
}

/// Reads the routes to one net, or to a pattern of nets, by each of the gateways.
Result<std::vector<conf::RouteItem>> read_routes(const Json& body, bool with_values) {
  Fields fields(body);
  conf::RouteEntry entry;
  const auto net = fields.text("net"), gateway = fields.text("gateway");
  if (with_values) {
    entry.hop = fields.integer("hop", INT64_MIN, INT64_MAX);
    entry.priority = fields.integer("priority", INT64_MIN, INT64_MAX);
  }
  if (!net || !gateway)
    fields.refuse(-EINVAL, std::string("'") + (net ? "gateway" : "net") + "' is missing");
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  entry.net = *net;
  entry.gateway = *gateway;
  return conf::routes_of(entry);
}

Result<void> read(const Json& body, AddRoutes& to) {
  auto routes = read_routes(body, true);
  if (!routes) return tl::unexpected(routes.error());
  to.routes = *std::move(routes);
  return {};
}

Result<void> read(const Json& body, DelRoutes& to) {
  const auto routes = read_routes(body, false);
  if (!routes) return tl::unexpected(routes.error());
  to.routes = {routes->begin(), routes->end()};
  return {};
}

Result<void> read(const Json& body, SetRouting& to) {
  if (body.empty()) return fail(-EINVAL, "nothing to set");
  Fields fields(body);
  if (const auto enable = fields.integer("enable", 0, 1)) to.on = *enable == 1;
  for (std::size_t pool = 0; pool < kPools.size(); ++pool)
    to.buffers[pool] = fields.integer(kPools[pool], 0, kInt32Max);
  return fields.finish();
}

core::FaultRule::Kind read_kind(Fields& fields) {
  const auto type = fields.text("rule_type");
  if (type == "delay") return core::FaultRule::Kind::kDelay;
  if (type != "drop") fields.refuse(-EINVAL, "rule_type is drop or delay");
  return core::FaultRule::Kind::kDrop;
}

std::optional<core::FaultNids> read_nids(Fields& fields, const char* key) {
  const auto text = fields.text(key);
  if (!text) return std::nullopt;
  const auto nids = core::FaultNids::parse(*text);
  if (nids) return *nids;
  fields.refuse(nids.error().code, nids.error().reason);
  return std::nullopt;
}

std::uint32_t read_number(Fields& fields, const char* key) {
  return static_cast<std::uint32_t>(fields.integer(key, 0, UINT32_MAX).value_or(0));
}

Result<void> read(const Json& body, AddFault& to) {
  Fields fields(body);
  core::FaultRule& rule = to.rule;
  rule.kind = read_kind(fields);
  const bool drop = rule.kind == core::FaultRule::Kind::kDrop;
  const auto source = read_nids(fields, "fa_src");
  const auto destination = read_nids(fields, "fa_dst");
  if (!source || !destination)
    fields.refuse(-EINVAL, "Please provide both source and destination of " +
                               std::string(to_string(rule.kind)) + " rule");
  if (const auto local = fields.nid("fa_local_nid")) rule.local = *local;
  rule.portals = fields.natural("fa_ptl_mask").value_or(0);
  rule.messages = read_number(fields, "fa_msg_mask");
  rule.rate = read_number(fields, drop ? "da_rate" : "la_rate");
  rule.interval = read_number(fields, drop ? "da_interval" : "la_interval");
  if (drop) {
    rule.errors = read_number(fields, "da_health_error_mask");
    rule.random = fields.boolean("da_random").value_or(false);
    rule.drop_all = fields.boolean("da_drop_all").value_or(false);
  } else {
    rule.latency = read_number(fields, "la_latency");
  }
  rule.seed = fields.natural("seed").value_or(0);
  if (auto finished = fields.finish(); !finished) return finished;
  rule.source = *source;
  rule.destination = *destination;
  auto settled = core::settled(rule);
  if (!settled) return tl::unexpected(settled.error());
  rule = *std::move(settled);
  return {};
}

Result<void> read(const Json& body, DelFault& to) {
  Fields fields(body);
  to.kind = read_kind(fields);
  to.source = read_nids(fields, "fa_src");
  to.destination = read_nids(fields, "fa_dst");
  return fields.finish();
}

Result<void> read(const Json& body, ResetFaults& to) {
  Fields fields(body);
  to.kind = read_kind(fields);
  return fields.finish();
}

Result<void> read(const Json& body, ResetStats&) { return Fields(body).finish(); }

template <class What>
Result<conf::Change> read_change(const Json& body) {
  What change;
  if (auto done = read(body, change); !done) return tl::unexpected(std::move(done.error()));
  return conf::Change(std::move(change));
}

constexpr ChangeEndpoint kEndpoints[] = {
    {"POST", "/v1/net", "net add", read_change<AddNi>},
    {"DELETE", "/v1/net", "net del", read_change<DelNi>},
    {"PATCH", "/v1/net", "net set", read_change<SetNi>},
    {"POST", "/v1/peer", "peer add", read_change<AddPeer>},
    {"DELETE", "/v1/peer", "peer del", read_change<DelPeer>},
    {"PATCH", "/v1/peer", "peer set", read_change<SetPeer>},
    {"DELETE", "/v1/stats", "stats reset", read_change<ResetStats>},
    {"PATCH", "/v1/global", "set", read_change<SetGlobals>},
    {"PATCH", "/v1/param", "param set", read_change<SetParams>},
    {"POST", "/v1/udsp", "udsp add", read_change<AddPolicy>},
    {"DELETE", "/v1/udsp", "udsp del", read_change<DelPolicy>},
    {"POST", "/v1/selection", "selection add", read_change<AddSelection>},
    {"DELETE", "/v1/selection", "selection del", read_change<DelSelection>},
    {"POST", "/v1/route", "route add", read_change<AddRoutes>},
    {"DELETE", "/v1/route", "route del", read_change<DelRoutes>},
    {"PATCH", "/v1/routing", "set routing", read_change<SetRouting>},
    {"PATCH", "/v1/buffers", "set buffers", read_change<SetRouting>},
    {"POST", "/v1/fault", "fault add", read_change<AddFault>},
    {"DELETE", "/v1/fault", "fault del", read_change<DelFault>},
    {"PATCH", "/v1/fault", "fault reset", read_change<ResetFaults>},
};

}  // namespace

std::span<const ChangeEndpoint> change_endpoints() { return kEndpoints; }

}  // namespace ulnet::api
