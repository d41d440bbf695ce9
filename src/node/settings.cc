#include "node/settings.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/assert.h"
#include "node/portal_rotor.h"

namespace ulnet::node {
namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();

tl::unexpected<Error> cannot_configure(std::string_view what) {
  return fail(-ENODATA, "cannot configure " + std::string(what) + ": Invalid argument");
}

/// A global that is a number in a range and independent of the others.
struct Plain {
  std::string_view name;
  std::string_view words;  ///< as error texts name it
  std::int32_t core::Globals::*field;
  std::int64_t min, max;
};
constexpr auto kPlain = std::to_array<Plain>({
    {"drop_asym_route", "drop asym route", &core::Globals::drop_asym_route, 0, 1},
    {"recovery_interval", "recovery interval", &core::Globals::recovery_interval, 1, kIntMax},
    {"router_sensitivity", "router sensitivity", &core::Globals::router_sensitivity, 0, 100},
    {"recovery_limit", "recovery limit", &core::Globals::recovery_limit, 0, kIntMax},
    {"max_recovery_ping_interval", "max recovery ping interval",
     &core::Globals::max_recovery_ping_interval, 1, kIntMax},
});

bool is_inverted(const conf::Param& param) { return param.name == "lnet_peer_discovery_disabled"; }

/// The three globals that depend on each other (spec/multirail.md 5.1, 6).
Result<void> set_retry_count(core::Globals& g, std::int64_t value) {
  const bool fits = value >= 0 && value < g.transaction_timeout;
  if (!fits || (value > 0 && g.health_sensitivity == 0)) return cannot_configure("retry count");
  g.retry_count = static_cast<std::int32_t>(value);
  return {};
}
Result<void> set_transaction_timeout(core::Globals& g, std::int64_t value) {
  if (value <= g.retry_count || value < 1 || value > kIntMax)
    return cannot_configure("transaction timeout");
  g.transaction_timeout = static_cast<std::int32_t>(value);
  return {};
}
Result<void> set_health_sensitivity(core::Globals& g, std::int64_t value) {
  if (value < 0 || value > 1000) return cannot_configure("health sensitivity");
  g.health_sensitivity = static_cast<std::int32_t>(value);
  if (value == 0) g.retry_count = 0;
  return {};
}

}  // namespace

Result<void> set_global(core::Globals& g, std::string_view name, std::int64_t value) {
  if (name == "retry_count") return set_retry_count(g, value);
  if (name == "transaction_timeout") return set_transaction_timeout(g, value);
  if (name == "health_sensitivity") return set_health_sensitivity(g, value);
  if (name == "discovery") {  // every value but 0 means on
    g.discovery = value != 0 ? 1 : 0;
    return {};
  }
  if (name == "numa_range") {  // negative: the largest, so that distances do not matter
    g.numa_range = static_cast<std::int32_t>(value < 0 || value > kIntMax ? kIntMax : value);
    return {};
  }
  if (name == "max_interfaces") {  // too small: the default
    g.max_interfaces = static_cast<std::int32_t>(value < 16 ? limits::kMaxInterfaces
                                                            : std::min<std::int64_t>(value, 65535));
    return {};
  }
  if (name == "response_tracking") {
    if (value < 0 || value > 3) return fail(-EINVAL, "Valid values are: 0, 1, 2, or 3");
    g.response_tracking = static_cast<std::int32_t>(value);
    return {};
  }
  for (const Plain& plain : kPlain) {
    if (plain.name != name) continue;
    if (value < plain.min || value > plain.max) return cannot_configure(plain.words);
    g.*plain.field = static_cast<std::int32_t>(value);
    return {};
  }
  return fail(-ENOENT, "no global setting '" + std::string(name) + "'");
}

std::int64_t get_global(const core::Globals& g, std::string_view name) {
  if (name == "retry_count") return g.retry_count;
  if (name == "transaction_timeout") return g.transaction_timeout;
  if (name == "health_sensitivity") return g.health_sensitivity;
  if (name == "discovery") return g.discovery;
  if (name == "numa_range") return g.numa_range;
  if (name == "max_interfaces") return g.max_interfaces;
  if (name == "response_tracking") return g.response_tracking;
  const auto plain =
      std::find_if(kPlain.begin(), kPlain.end(), [&](const Plain& p) { return p.name == name; });
  ULNET_ASSERT(plain != kPlain.end());
  return g.*plain->field;
}

std::string Settings::text(const conf::Param& param) const {
  if (param.global.empty()) return params_.text(param.name);
  const std::int64_t value = get_global(globals_, param.global);
  return std::to_string(is_inverted(param) ? (value == 0 ? 1 : 0) : value);
}

Result<Settings> Settings::make(const std::map<std::string, std::string>& params) {
  Settings settings;
  for (const auto& [name, value] : params)
    if (auto set = settings.params_.set(name, value); !set)
      return tl::unexpected<Error>(set.error());
  // accept_port is the port of bulk connections too, unless accept_port_bulk is given.
  if (const auto port = params.find("accept_port");
      port != params.end() && !params.contains("accept_port_bulk"))
    (void)settings.params_.set("accept_port_bulk", port->second);
  // The transaction time-out first, so that every valid pair with the retry count is accepted;
  // the health sensitivity last, because 0 resets the retry count.
  constexpr std::array<std::string_view, 3> kInOrder{"transaction_timeout", "retry_count",
                                                     "health_sensitivity"};
  const auto rank = [&](const conf::Param& p) {
    return std::find(kInOrder.begin(), kInOrder.end(), p.global) - kInOrder.begin();
  };
  std::vector<const conf::Param*> starting;
  for (const conf::Param& param : conf::all_params())
    if (settings.params_.given().contains(param.name)) starting.push_back(&param);
  std::sort(starting.begin(), starting.end(), [&](auto* a, auto* b) {
    return std::pair(rank(*a), a) < std::pair(rank(*b), b);  // of one rank: as listed
  });
  if (settings.params_.given().contains("lnet_retry_count")) settings.globals_.retry_count = 0;
  for (const conf::Param* param : starting)
    if (auto applied = settings.apply_to_globals(*param); !applied)
      return fail(-EINVAL, std::string(param->name) + ": " + applied.error().reason);
  settings.globals_.local_nid_dist_zero = settings.params_.flag("local_nid_dist_zero");
  return settings;
}

Result<void> Settings::apply_to_globals(const conf::Param& param) {
  if (param.name == "portal_rotor") {
    globals_.portal_rotor = rotor_mode(params_.text(param.name)).rotor;
    return {};
  }
  if (param.global.empty()) return {};
  const std::int64_t value = params_.number(param.name);
  return set_global(globals_, param.global, is_inverted(param) ? (value == 0 ? 1 : 0) : value);
}

lnd::sock::SockTunables Settings::sock_tunables() const {
  lnd::sock::SockTunables tunables;
  for (const auto& [name, value] : params_.given())
    // -ENOENT: not a tunable of the driver. The values were checked before.
    (void)lnd::sock::set_tunable(tunables, name, value);
  return tunables;
}

std::vector<std::string> Settings::warnings() const {
  std::vector<std::string> lines;
  for (const auto& [name, value] : params_.given()) {
    const conf::Param* param = conf::find_param(name);
    if (!param->warning.empty() && value != param->initial)
      lines.push_back("parameter " + name + "=" + value + " " + std::string(param->warning));
  }
  if (params_.text("accept") == "trust")
    lines.push_back(
        "accept=trust: peers are believed whatever port they come from; not for production "
        "networks");
  return lines;
}

Result<core::NetTunables> Settings::net_tunables(const conf::CommonTunables& asked) const {
  const auto number = [&](const std::optional<std::int32_t>& value, std::string_view param) {
    return value ? *value : static_cast<std::int32_t>(params_.number(param));
  };
  core::NetTunables tunables;
  // -1 asks for the default, as upstream's case 231 has it.
  const std::optional<std::int32_t> no_choice;
  tunables.peer_timeout =
      number(asked.peer_timeout == -1 ? no_choice : asked.peer_timeout, "peer_timeout");
  tunables.credits = number(asked.credits, "credits");
  tunables.peer_credits = number(asked.peer_credits, "peer_credits");
  tunables.peer_buffer_credits = number(asked.peer_buffer_credits, "peer_buffer_credits");
  if (tunables.peer_timeout < -1)
    return fail(-EINVAL, "invalid peer_timeout (valid: -1, 0 or more)");
  if (tunables.credits < 1) return fail(-EINVAL, "invalid credits (valid: 1 or more)");
  if (tunables.peer_credits < 1) return fail(-EINVAL, "invalid peer_credits (valid: 1 or more)");
  if (tunables.peer_buffer_credits < 0)
    return fail(-EINVAL, "invalid peer_buffer_credits (valid: 0 or more)");
  // A peer cannot have more in flight than the whole NI (spec/wire-socklnd.md 11).
  tunables.peer_credits = std::min(tunables.peer_credits, tunables.credits);
  return tunables;
}

}  // namespace ulnet::node
