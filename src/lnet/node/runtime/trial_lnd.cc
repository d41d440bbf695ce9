#include "lnet/node/runtime/trial_lnd.h"

#include <algorithm>
#include <utility>

#include "lnet/os/interfaces.h"

namespace ulnet::node {

namespace {

/// The first address of 240.0.0.0/4, which no machine has.
constexpr std::uint32_t kNobodys = 0xf0000000;

}  // namespace

Nid TrialLnd::nid_of(const lnd::NiSpec& spec) {
  if (spec.nid) return *spec.nid;
  if (const auto address = Nid::parse(spec.interface + "@" + spec.net.to_string())) return *address;
  for (const conf::LocalInterface& device : machine::local_interfaces()) {
    if (device.name != spec.interface || device.addresses.empty()) continue;
    const auto small =
        std::ranges::find_if(device.addresses, [](const Nid& nid) { return nid.size == 0; });
    return conf::on_net(small != device.addresses.end() ? *small : device.addresses.front(),
                        spec.net);
  }
  return Nid::small(spec.net, kNobodys + made_up_++);
}

Result<lnd::NiStarted> TrialLnd::start_ni(const lnd::NiSpec& spec) {
  lnd::NiSpec found = spec;
  found.nid = nid_of(spec);
  found.interface.clear();
  auto started = pipe_.start_ni(found);
  if (!started && started.error().code == -EADDRINUSE)
    return fail(-EEXIST, found.nid->to_string() + " is running already");
  if (started && !spec.interface.empty()) started->interface = spec.interface;
  return started;
}

}  // namespace ulnet::node
