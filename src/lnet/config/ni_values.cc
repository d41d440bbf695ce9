#include "lnet/config/ni_values.h"

#include <algorithm>
#include <string>

namespace ulnet::conf {

const LndTunable* find_lnd_tunable(std::string_view name) {
  const auto* at = std::ranges::find(kLndTunables, name, &LndTunable::name);
  return at == kLndTunables.end() ? nullptr : at;
}

Result<void> check_lnd_tunables(const LndTunables& tunables) {
  for (const auto& [name, value] : tunables) {
    const LndTunable* tunable = find_lnd_tunable(name);
    if (tunable == nullptr) return fail(-EINVAL, "an NI has no tunable '" + name + "'");
    if (!tunable->range.has(value)) return fail(-EINVAL, std::string(tunable->range.out_of_range));
  }
  return {};
}

std::int64_t health_of(std::int64_t asked) {
  constexpr std::int64_t kFull = 1000;
  return asked < 0 || asked > kFull ? kFull : asked;
}

Result<NetId> parse_net_name(std::string_view name) {
  const auto net = NetId::parse(name);
  if (net && !net->is_any()) return *net;
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t digits = name.find_first_of(kDigits);
  const bool known_type = digits != std::string_view::npos &&
                          name.find_first_not_of(kDigits, digits) == std::string_view::npos &&
                          NetId::parse(name.substr(0, digits));
  if (known_type) return fail(-EINVAL, "LND type not supported");
  return fail(-ENOENT, "cannot parse net");
}

Result<void> check_not_loopback(NetId net) {
  if (net.type == NetType::kLo) return fail(-ENODEV, "setting @lo not allowed");
  return {};
}

Result<NetId> parse_settable_net(std::string_view name) {
  auto net = parse_net_name(name);
  if (!net) return net;
  if (auto allowed = check_not_loopback(*net); !allowed)
    return tl::unexpected<Error>(allowed.error());
  return net;
}

}  // namespace ulnet::conf
