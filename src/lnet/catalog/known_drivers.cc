#include "lnet/catalog/known_drivers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lnet/lnd/sock/ni_tunables.h"

namespace ulnet::lnd {

namespace {

constexpr std::array kKnown{
    KnownDriver{.nets = NetType::kLo},
    KnownDriver{.nets = NetType::kTcp, .ni_tunables = sock::kNiTunables},
    KnownDriver{.nets = NetType::kMpi},
};

const KnownDriver* find_known(NetType nets) {
  const auto* at = std::ranges::find(kKnown, nets, &KnownDriver::nets);
  return at == kKnown.end() ? nullptr : at;
}

const conf::LndTunable* find_in(std::span<const conf::LndTunable> tunables, std::string_view name) {
  const auto at = std::ranges::find(tunables, name, &conf::LndTunable::name);
  return at == tunables.end() ? nullptr : &*at;
}

std::vector<conf::LndTunable> tunables_of_all() {
  std::vector<conf::LndTunable> all;
  for (const KnownDriver& driver : kKnown)
    for (const conf::LndTunable& tunable : driver.ni_tunables)
      if (find_in(all, tunable.name) == nullptr) all.push_back(tunable);
  return all;
}

}  // namespace

std::span<const KnownDriver> known_drivers() { return kKnown; }

std::span<const conf::LndTunable> ni_tunables(NetType nets) {
  const KnownDriver* driver = find_known(nets);
  return driver == nullptr ? std::span<const conf::LndTunable>() : driver->ni_tunables;
}

std::span<const conf::LndTunable> all_ni_tunables() {
  static const std::vector<conf::LndTunable> kAll = tunables_of_all();
  return kAll;
}

std::span<const conf::LndTunable> tunables_to_name(std::optional<NetId> net) {
  return net && find_known(net->type) != nullptr ? ni_tunables(net->type) : all_ni_tunables();
}

const conf::LndTunable* find_ni_tunable(std::optional<NetId> net, std::string_view name) {
  return find_in(tunables_to_name(net), name);
}

std::string lacks_tunable(std::optional<NetId> net, std::string_view name) {
  const bool another_has = net && find_in(all_ni_tunables(), name) != nullptr;
  return "an NI " + (another_has ? "of net " + net->to_string() + " " : std::string()) +
         "has no tunable '" + std::string(name) + "'";
}

Result<void> check_ni_tunables(std::optional<NetId> net, const conf::LndTunables& tunables) {
  for (const auto& [name, value] : tunables) {
    const conf::LndTunable* tunable = find_ni_tunable(net, name);
    if (tunable == nullptr) return fail(-EINVAL, lacks_tunable(net, name));
    if (!tunable->range.has(value)) return fail(-EINVAL, std::string(tunable->range.out_of_range));
  }
  return {};
}

}  // namespace ulnet::lnd
