#include "lnet/lnd/sock/trial_lnd.h"

#include <algorithm>
#include <variant>

#include "lnet/lnd/sock/reactor/device.h"
#include "lnet/lnd/sock/reactor/sockets.h"

namespace ulnet::lnd::sock {

namespace {

constexpr std::uint32_t kReserved = 0xf0000000;  // 240.0.0.0

/// Whether the error says that the device or the address is not there now.
bool may_come(const Error& error) {
  return error.code == -ENODEV || error.code == -ENETDOWN || error.code == -EADDRNOTAVAIL;
}

}  // namespace

Result<Nid> TrialLnd::nid_of(const NiSpec& spec) {
  const auto device = find_device(spec);
  if (device) return nid_at(spec.net, device->address);
  if (!may_come(device.error())) return tl::unexpected(device.error());
  if (spec.nid) return *spec.nid;
  if (const auto address = parse_address(spec.interface)) return nid_at(spec.net, *address);
  return Nid::small(spec.net, kReserved + made_up_++);
}

Result<NiStarted> TrialLnd::start_ni(const NiSpec& spec) {
  const std::lock_guard hold(lock_);
  if (const auto ok = check_congestion(congestion_); !ok) return tl::unexpected(ok.error());
  const auto nid = nid_of(spec);
  if (!nid) return tl::unexpected(nid.error());
  if (std::ranges::any_of(nis_, [&](const auto& ni) { return ni.second == *nid; }))
    return fail(-EEXIST, nid->to_string() + " is running already");
  nis_.emplace(spec.id, *nid);
  NiStarted started;
  started.nid = *nid;
  started.interface = spec.interface;
  return started;
}

void TrialLnd::stop_ni(core::NiId ni) {
  fail_sends();
  const std::lock_guard hold(lock_);
  nis_.erase(ni);
}

void TrialLnd::submit(Command&& command) {
  const auto* send = std::get_if<core::Send>(&command);
  if (send == nullptr) return;
  const std::lock_guard hold(lock_);
  sends_.push_back(send->tx);
}

void TrialLnd::fail_sends() {
  const std::lock_guard deliver(delivering_);
  for (;;) {
    std::vector<core::MsgTicket> taken;
    {
      const std::lock_guard hold(lock_);
      taken.swap(sends_);
    }
    if (taken.empty()) return;
    for (const core::MsgTicket tx : taken)
      inlet_.deliver(core::SendDone{tx, -EHOSTUNREACH, core::Health::kRemoteDropped});
  }
}

}  // namespace ulnet::lnd::sock
