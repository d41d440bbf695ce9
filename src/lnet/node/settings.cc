#include "lnet/node/settings.h"

#include <algorithm>
#include <array>

#include "lnet/config/globals.h"
#include "lnet/node/memory_bounds.h"
#include "lnet/node/portal_rotor.h"
#include "lnet/node/runtime/drivers.h"

namespace ulnet::node {
namespace {

bool is_inverted(const conf::Param& param) { return param.name == "lnet_peer_discovery_disabled"; }

}  // namespace

std::string Settings::text(const conf::Param& param) const {
  if (param.global.empty()) return params_.text(param.name);
  const std::int64_t value = conf::get_global(globals_, param.global);
  return std::to_string(is_inverted(param) ? (value == 0 ? 1 : 0) : value);
}

Result<Settings> Settings::make(const std::map<std::string, std::string>& params) {
  Settings settings;
  for (const auto& [name, value] : params)
    if (auto set = settings.set_param(name, value); !set) return tl::unexpected<Error>(set.error());
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
    return std::pair(rank(*a), a) < std::pair(rank(*b), b);  // of equal rank: in the table's order
  });
  if (settings.params_.given().contains("lnet_retry_count")) settings.globals_.retry_count = 0;
  for (const conf::Param* param : starting)
    if (auto applied = settings.apply_to_globals(*param); !applied)
      return fail(-EINVAL, std::string(param->name) + ": " + applied.error().reason);
  settings.globals_.max_answers = answers_within(settings.share(MemoryPart::kAnswers));
  settings.globals_.local_nid_dist_zero = settings.params_.flag("local_nid_dist_zero");
  return settings;
}

Result<void> Settings::apply_to_globals(const conf::Param& param) {
  if (param.name == "portal_rotor") {
    globals_.portal_rotor = rotor_mode(params_.text(param.name)).rotor;
    return {};
  }
  if (param.name == "lock_prim_nid") globals_.lock_prim_nid = params_.flag(param.name);
  if (param.name == "auto_down") globals_.auto_down = params_.flag(param.name);
  if (param.name == "avoid_asym_router_failure")
    globals_.avoid_asym_router_failure = params_.flag(param.name);
  if (param.name == "alive_router_check_interval")
    globals_.alive_router_check_interval = static_cast<std::int32_t>(params_.number(param.name));
  if (param.name == "router_ping_timeout")
    globals_.router_ping_timeout = static_cast<std::int32_t>(params_.number(param.name));
  if (param.name == "peer_idle_timeout")
    globals_.peer_idle_timeout = static_cast<std::int32_t>(params_.number(param.name));
  if (param.name == "max_peers")
    globals_.max_peers = static_cast<std::int32_t>(params_.number(param.name));
  if (param.name == "memory_budget")
    globals_.max_answers = answers_within(share(MemoryPart::kAnswers));
  if (param.global.empty()) return {};
  const std::int64_t value = params_.number(param.name);
  return conf::set_global(globals_, param.global,
                          is_inverted(param) ? (value == 0 ? 1 : 0) : value);
}

std::uint64_t Settings::share(MemoryPart part) const {
  return MemoryBudget(memory_budget()).share(part);
}

core::Routing Settings::routing() const {
  core::Routing routing;
  routing.on = routing.at_once = params_.text("forwarding") == "enabled";
  std::size_t pool = 0;
  for (const char* name : {"tiny_router_buffers", "small_router_buffers", "large_router_buffers"})
    routing.buffers[pool++] = static_cast<std::int32_t>(params_.number(name));
  routing.standard = buffers_within(share(MemoryPart::kForwards));
  routing.check_before_use = params_.flag("check_routers_before_use");
  return routing;
}

Result<void> Settings::set_param(std::string_view name, std::string_view value) {
  if (auto fit = check_tunable(name, value); !fit) return fit;
  return params_.set(name, value);
}

std::string Settings::too_many_buffers(const core::Routing& routing) const {
  const std::uint64_t left = share(MemoryPart::kForwards), asked = buffer_bytes_of(routing);
  const bool all_standard = std::ranges::all_of(routing.buffers, [](auto n) { return n == 0; });
  if (!routing.on || all_standard || asked <= left) return {};
  return "the buffers of this router may take " + std::to_string(asked >> 20) +
         " MiB, as configured; its share of memory_budget is " + std::to_string(left >> 20) +
         " MiB";
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
        "accept=trust: the node believes peers on any port; not for production networks");
  if (std::string line = too_many_buffers(routing()); !line.empty())
    lines.push_back(std::move(line));
  return lines;
}

Result<core::NetTunables> Settings::net_tunables(const conf::CommonTunables& asked) const {
  const auto number = [&](const std::optional<std::int32_t>& value, std::string_view param) {
    return value ? *value : static_cast<std::int32_t>(params_.number(param));
  };
  core::NetTunables tunables;
  // -1 asks for the default, as in upstream's case 231.
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
