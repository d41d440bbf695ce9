#include "lnet/config/ni_values.h"

#include <string>

namespace ulnet::conf {

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
