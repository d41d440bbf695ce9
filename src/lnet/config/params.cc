#include "lnet/config/params.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "lnet/base/assert.h"
#include "lnet/base/limits.h"
#include "lnet/base/text.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::conf {

namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kSecondsMax = 86'400LL * 365;
constexpr bool kStartOnly = true;
constexpr std::string_view kNoEffect = "is accepted but has no effect";
constexpr std::string_view kDeprecated = "is deprecated and has no effect";

using G = core::Globals;

constexpr GlobalSetting global(std::string_view name, std::int32_t G::*field,
                               std::string_view initial, std::int64_t min, std::int64_t max) {
  std::int64_t number = 0;
  for (const char digit : initial) number = number * 10 + (digit - '0');
  return {name, field, initial, number, min, max};
}
constexpr auto kGlobals = std::to_array<GlobalSetting>({
    global("numa_range", &G::numa_range, "0", 0, kIntMax),
    global("max_interfaces", &G::max_interfaces, "4096", 16, 65535),
    global("discovery", &G::discovery, "1", 0, core::kDiscoveryVerifies),
    global("drop_asym_route", &G::drop_asym_route, "0", 0, 1),
    global("retry_count", &G::retry_count, "2", 0, kIntMax),
    global("transaction_timeout", &G::transaction_timeout, "150", 1, kIntMax),
    global("health_sensitivity", &G::health_sensitivity, "100", 0, 1000),
    global("recovery_interval", &G::recovery_interval, "1", 1, kIntMax),
    global("router_sensitivity", &G::router_sensitivity, "100", 0, 100),
    global("response_tracking", &G::response_tracking, "3", 0, 3),
    global("recovery_limit", &G::recovery_limit, "0", 0, kIntMax),
    global("max_recovery_ping_interval", &G::max_recovery_ping_interval, "900", 1, kIntMax),
});

// Rows of the table, by type.
constexpr Param number(std::string_view name, std::string_view initial, std::int64_t min,
                       std::int64_t max, std::string_view help) {
  return {name, ParamType::kInt, initial, min, max, {}, false, {}, {}, help};
}
constexpr Param flag(std::string_view name, std::string_view initial, std::string_view help) {
  return {name, ParamType::kBool, initial, 0, 1, {}, false, {}, {}, help};
}
constexpr Param choice(std::string_view name, std::string_view initial, std::string_view choices,
                       std::string_view help) {
  return {name, ParamType::kChoice, initial, 0, 0, choices, false, {}, {}, help};
}
constexpr Param name_of(std::string_view name, std::string_view initial, std::string_view choices,
                        std::string_view help) {
  return {name, ParamType::kName, initial, 0, 0, choices, false, {}, {}, help};
}
constexpr Param text(std::string_view name, std::string_view initial, std::string_view help) {
  return {name, ParamType::kText, initial, 0, 0, {}, false, {}, {}, help};
}
constexpr Param nids(std::string_view name, std::string_view initial, std::string_view help) {
  return {name, ParamType::kNids, initial, 0, 0, {}, false, {}, {}, help};
}
// Optional properties of a row.
constexpr Param at_start(Param param) {
  param.start_only = kStartOnly;
  return param;
}
constexpr Param starts(std::string_view global, Param param) {
  param.global = global;
  return param;
}
/// A number that initialises a setting of the `global` section, with the setting's default and
/// range.
constexpr Param global_number(std::string_view global, std::string_view name,
                              std::string_view help) {
  const auto* setting = std::ranges::find(kGlobals, global, &GlobalSetting::name);
  return starts(global, number(name, setting->initial_text, setting->min, setting->max, help));
}
constexpr Param warns(std::string_view warning, Param param) {
  param.warning = warning;
  return param;
}

constexpr auto kParams = std::to_array<Param>({
    // Configuration at the node's start
    at_start(text("networks", "", "nets to start: \"tcp(eth0),tcp1(eth1)\"")),
    at_start(text("ip2nets", "", "nets to start, chosen by address: \"tcp(eth0) 10.0.*.*\"")),
    at_start(text("routes", "", "remote nets and their gateways: \"tcp1 10.0.0.[1-4]@tcp\"")),
    // The core
    at_start(choice("forwarding", "", "enabled|disabled",
                    "route messages between nets: enabled, disabled, or empty: where a NID of this "
                    "node is a gateway in routes")),
    at_start(number("tiny_router_buffers", "0", 0, kIntMax,
                    "router buffers without payload; 0: the default")),
    at_start(number("small_router_buffers", "0", 0, kIntMax,
                    "router buffers of one page; 0: the default")),
    at_start(
        number("large_router_buffers", "0", 0, kIntMax, "router buffers of 1 MiB; 0: the default")),
    flag("auto_down", "1", "mark peers down when drivers report it"),
    flag("check_routers_before_use", "0", "assume routers down until they answered"),
    flag("avoid_asym_router_failure", "1", "a router's failed interfaces count as its failure"),
    number("alive_router_check_interval", "60", 0, kIntMax,
           "s between checks of a router; 0: none"),
    number("router_ping_timeout", "50", 0, kIntMax, "s that a router may take to answer"),
    number("peer_idle_timeout", "600", 0, kIntMax,
           "s without a message after which a peer that only traffic made is forgotten; 0: never"),
    number("max_peers", "65536", 1, kIntMax,
           "number of peers above which messages of unknown peers are dropped"),
    warns(kDeprecated, number("dead_router_check_interval", "60", 0, kIntMax, "deprecated")),
    warns(kDeprecated, number("live_router_check_interval", "60", 0, kIntMax, "deprecated")),
    global_number("numa_range", "lnet_numa_range",
                  "NUMA distance within which interfaces count as near"),
    global_number("max_interfaces", "lnet_interfaces_max", "NIDs accepted of one node"),
    starts("discovery",
           flag("lnet_peer_discovery_disabled", "0", "do not learn peers' other interfaces")),
    starts("drop_asym_route",
           flag("lnet_drop_asym_route", "0", "drop messages that came over another route")),
    global_number("transaction_timeout", "lnet_transaction_timeout",
                  "s until an operation has failed"),
    global_number("retry_count", "lnet_retry_count", "attempts after the first"),
    global_number("health_sensitivity", "lnet_health_sensitivity", "health taken by one failure"),
    warns(kNoEffect, global_number("recovery_interval", "lnet_recovery_interval",
                                   "s between recovery pings; without effect in Lustre too")),
    warns(kDeprecated, global_number("router_sensitivity", "router_sensitivity_percentage",
                                     "% of health a router needs")),
    global_number("response_tracking", "lnet_response_tracking",
                  "which operations are given a deadline"),
    global_number("recovery_limit", "lnet_recovery_limit",
                  "s after which recovery gives up; 0: never"),
    global_number("max_recovery_ping_interval", "lnet_max_recovery_ping_interval",
                  "s between recovery pings at most"),
    flag("lock_prim_nid", "1", "keep a peer's primary NID once LNet has reported it to a service"),
    at_start(flag("local_nid_dist_zero", "1", "the distance to a NID of this node is 0")),
    warns(kNoEffect,
          at_start(number("rnet_htable_size", "128", 1, 1 << 20, "hash buckets for remote nets"))),
    warns("is deprecated: name several interfaces instead, tcp(eth0,eth1) makes two NIs",
          at_start(flag("use_tcp_bonding", "0", "deprecated"))),
    name_of("portal_rotor", "HASH_RT", "OFF|ON|RR_RT|HASH_RT",
            "which partition looks first for a buffer on a wildcard portal"),
    at_start(
        number("cpu_npartitions", "0", 0, limits::kMaxCpts, "CPU partitions; 0: by the machine")),
    at_start(text("cpu_pattern", "",
                  "CPU partitions by hand: \"0[0-3] 1[4-7]\", or N for one per NUMA node")),
    // The acceptor
    at_start(choice("accept", "secure", "secure|all|none|trust",
                    "which connections the node accepts: from privileged ports, from all, none; "
                    "trust (ulnet's own) believes any peer")),
    at_start(number("accept_port", "988", 1, 65535, "TCP port to listen on and to dial")),
    at_start(number("accept_port_bulk", "988", 1, 65535, "TCP port dialled for bulk connections")),
    at_start(number("accept_backlog", "127", 1, 65535, "connections that may wait to be accepted")),
    number("accept_timeout", "5", 1, kIntMax,
           "s within which a new connection must identify itself"),
    number("accept_pending", "4096", 1, 1 << 20, "new connections that may be silent at once"),
    number("accept_open", "0", 0, kIntMax,
           "open connections that peers have made; 0: as many as the descriptors allow"),
    number("accept_open_per_address", "0", 0, kIntMax,
           "... from one address; 0: half of accept_open"),
    choice("peer_address_check", "warn", "off|warn|enforce",
           "a peer whose NID has another address than its connection: is believed, believed and "
           "logged, refused"),
    // The tcp driver
    number("sock_timeout", "0", 0, kIntMax,
           "s without progress until a connection has failed; 0: 50 s, whatever lnd_timeout is"),
    at_start(number("credits", "256", 1, kIntMax, "messages in flight per NI")),
    at_start(number("peer_credits", "8", 1, kIntMax, "messages in flight per peer NI")),
    at_start(number("peer_buffer_credits", "0", 0, kIntMax,
                    "router: messages held per peer; 0: peer_credits")),
    at_start(number("peer_timeout", "180", -1, kIntMax,
                    "s until a silent peer counts as down; 0 or -1: never")),
    at_start(number("nscheds", "0", 0, 1024,
                    "threads that move bytes, per CPU partition; 0: by interfaces and CPUs")),
    number("nconnds", "4", 1, 65536, "connections dialled at once"),
    number("nconnds_max", "64", 1, 65536, "... when many peers wait"),
    number("min_reconnectms", "1000", 1, kIntMax,
           "ms until a failed dial is tried again, at first"),
    number("max_reconnectms", "60000", 1, kIntMax, "... at most"),
    number("eager_ack", "0", 0, 15, "quick TCP acknowledgement, a bit per connection type"),
    flag("typed_conns", "1", "separate connections for control and bulk"),
    number("min_bulk", "1024", 0, kIntMax,
           "bytes from which a message goes over a bulk connection"),
    number("tx_buffer_size", "0", 0, kIntMax,
           "bytes of a socket's send buffer; 0: the system's choice"),
    number("rx_buffer_size", "0", 0, kIntMax,
           "bytes of a socket's receive buffer; 0: the system's choice"),
    flag("nagle", "0", "let TCP gather small writes"),
    flag("round_robin", "1", "take equal connections in turn"),
    number("keepalive", "30", -1, kIntMax,
           "s of silence until a keepalive message; 0 or less: none"),
    number("keepalive_idle", "30", 0, 32767,
           "s of silence until TCP probes a connection; 0: never"),
    number("keepalive_intvl", "5", 0, 32767, "s between TCP's probes; 0: no probes"),
    number("keepalive_count", "5", 0, 127, "probes lost until the connection is; 0: no probes"),
    flag("enable_csum", "0", "checksums, on version 2 connections only"),
    number("inject_csum_error", "0", 0, kIntMax,
           "test aid: number of the next checksums that are wrong"),
    flag("nonblk_zcack", "1", "zero-copy acknowledgements need no credit"),
    number("zc_min_payload", "16384", 2048, kIntMax, "bytes from which zero-copy is asked for"),
    warns(kNoEffect, at_start(number("zc_recv", "0", 0, 1, "payload always lands in place"))),
    warns(kNoEffect, at_start(number("zc_recv_min_nfrags", "16", 0, kIntMax,
                                     "payload always lands in place"))),
    number("conns_per_peer", "0", 0, 255, "pairs of bulk connections to a peer; 0: by link speed"),
    number("tos", "-1", -1, 255, "IP type of service; -1: leave alone"),
    warns(kNoEffect, at_start(flag("enable_irq_affinity", "0", "removed functionality"))),
    warns(kNoEffect, flag("skip_mr_route_setup", "0", "routing tables are never touched")),
    warns(kNoEffect, number("protocol", "3", 1, 4, "the protocol version is negotiated")),
    // Selftest
    number("rpc_timeout", "64", 0, kSecondsMax,
           "selftest: s until an RPC of a test has failed; 0: never"),
    number("session_timeout", "100", 0, kSecondsMax,
           "selftest: s without a message from the console until its session ends; 0: never"),
    number("brw_srv_workitems", "1024", 1, 65536,
           "selftest: requests for bulk data served at once, each with up to 1 MiB"),
    number("ping_srv_workitems", "1024", 1, 65536, "selftest: pings served at once"),
    nids("selftest_consoles", "",
         "selftest: NIDs that may lead sessions here: \"10.0.0.[1-4]@tcp\"; empty: any"),
    number("brw_inject_errors", "0", 0, kIntMax,
           "test aid: number of the next bulk transfers that get wrong data"),
    // ulnet's own
    number(
        "memory_budget", "0", 0, 1 << 24,
        "MiB that other nodes can make this node keep; 0: a quarter of the memory that it may use"),
    flag("unprivileged_connect", "1", "dial from a port above 1023 where none below is permitted"),
    text("congestion", "", "TCP congestion control; empty: the system's"),
    choice("wait", "adaptive", "spin|adaptive|block", "how threads wait for bytes"),
    number("spin_us", "50", 0, 1000000, "µs that adaptive waiting spins after traffic"),
    number("long_cycle_ms", "10", 0, 3600000,
           "ms that a thread may work without a pause until that is counted as long; 0: any"),
    flag("zc_request", "0", "test switch: ask peers for zero-copy acknowledgements"),
    at_start(choice("mode", "shared", "shared|dedicated",
                    "threads: shared, or one pinned per CPU partition")),
    flag("shard_spin", "0",
         "mode=dedicated: the thread of a partition looks for work without ever sleeping"),
});

using ulnet::text::quoted;

std::optional<bool> truth(std::string_view value) {
  for (std::string_view yes : {"1", "y", "Y", "yes", "true", "True", "on"}) {
    if (value == yes) return true;
  }
  for (std::string_view no : {"0", "n", "N", "no", "false", "False", "off"}) {
    if (value == no) return false;
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer(std::string_view value) {
  std::int64_t result = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, result);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return result;
}

std::vector<std::string_view> list_of(std::string_view choices) {
  std::vector<std::string_view> list;
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    list.push_back(choices.substr(0, bar));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return list;
}

bool is_choice(std::string_view choices, std::string_view value) {
  const auto list = list_of(choices);
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The one of the upper-case `names` that begins with `value`, in upper or lower case; empty if no
/// name or several names do.
std::string_view full_name(std::string_view names, std::string_view value) {
  std::string upper(value);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string_view found;
  for (const std::string_view name : list_of(names)) {
    if (name == upper) return name;
    if (upper.empty() || !name.starts_with(upper)) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

template <class Table>
auto find_by_name(const Table& table, std::string_view name) -> decltype(table.data()) {
  const auto at =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
  return at == table.end() ? nullptr : &*at;
}

}  // namespace

std::span<const Param> all_params() { return kParams; }
const Param* find_param(std::string_view name) {
  // The names of the SMP design (spec/design-vs-today.md).
  if (name == "npartitions") name = "cpu_npartitions";
  if (name == "cpu_patterns") name = "cpu_pattern";
  return find_by_name(kParams, name);
}

std::span<const GlobalSetting> all_globals() { return kGlobals; }
const GlobalSetting* find_global(std::string_view name) { return find_by_name(kGlobals, name); }

std::optional<std::int64_t> mode_of_global(std::string_view name, std::string_view mode) {
  if (name == "discovery" && mode == "verify") return 2;
  return std::nullopt;
}

std::string_view warning_of_global(std::string_view name) {
  const auto* param = std::ranges::find(kParams, name, &Param::global);
  return name.empty() || param == kParams.end() ? std::string_view() : param->warning;
}

std::size_t choice_of(const Param& param, std::string_view value) {
  const auto choices = list_of(param.choices);
  const auto at = std::find(choices.begin(), choices.end(), value);
  ULNET_ASSERT(at != choices.end());
  return static_cast<std::size_t>(at - choices.begin());
}

Result<std::string> check_param(const Param& param, std::string_view value) {
  const std::string name(param.name);
  if (value.size() > limits::kParamTextMax) return fail(-EINVAL, name + ": the text is too long");
  switch (param.type) {
    case ParamType::kInt: {
      const auto n = integer(value);
      if (!n) return fail(-EINVAL, name + ": " + quoted(value) + " is not a number");
      if (*n < param.min || *n > param.max) {
        return fail(-EINVAL, name + ": " + quoted(value) + " is not between " +
                                 std::to_string(param.min) + " and " + std::to_string(param.max));
      }
      return std::to_string(*n);
    }
    case ParamType::kBool: {
      const auto yes = truth(value);
      if (!yes) return fail(-EINVAL, name + ": " + quoted(value) + " is neither 0 nor 1");
      return std::string(*yes ? "1" : "0");
    }
    case ParamType::kChoice:
      if (value != param.initial && !is_choice(param.choices, value)) {
        return fail(-EINVAL,
                    name + ": " + quoted(value) + " is not one of " + std::string(param.choices));
      }
      return std::string(value);
    case ParamType::kName: {
      const std::string_view full = full_name(param.choices, value);
      if (full.empty()) {
        return fail(-EINVAL,
                    name + ": " + quoted(value) + " is not one of " + std::string(param.choices));
      }
      return std::string(full);
    }
    case ParamType::kNids:
      if (const auto patterns = wire::parse_nid_patterns(value); !patterns)
        return fail(-EINVAL, name + ": " + patterns.error().reason);
      return std::string(value);
    case ParamType::kText:
      return std::string(value);
  }
  return fail(-EINVAL);
}

Result<std::string> check_param(std::string_view name, std::string_view value) {
  const Param* param = find_param(name);
  if (param == nullptr) return fail(-ENOENT, "no parameter " + quoted(name));
  return check_param(*param, value);
}

Result<void> ParamValues::set(std::string_view name, std::string_view value) {
  auto checked = check_param(name, value);
  if (!checked) return tl::unexpected(checked.error());
  given_.insert_or_assign(std::string(find_param(name)->name), std::move(*checked));
  return {};
}

std::string ParamValues::text(std::string_view name) const {
  if (const auto at = given_.find(name); at != given_.end()) return at->second;
  const Param* param = find_param(name);
  ULNET_ASSERT(param != nullptr);
  return std::string(param->initial);
}

std::int64_t ParamValues::number(std::string_view name) const {
  const auto value = integer(text(name));
  ULNET_ASSERT(value.has_value());
  return *value;
}

}  // namespace ulnet::conf
