#include "svc/selftest/selftest.h"

#include <algorithm>
#include <utility>

namespace ulnet::svc::selftest {
namespace {

constexpr std::uint32_t kBuffers = 128;  // requests that each service has buffers for at first
constexpr std::uint32_t kBuffersMost = 1U << 13;  // ... and at most, whatever consoles ask for
constexpr Duration kLookEvery = std::chrono::milliseconds(5);

}  // namespace

Selftest::Selftest(Host& host, const Settings& settings)
    : shop_(host, settings),
      framework_(shop_, bulks_, *this),
      ping_(shop_),
      brw_(shop_, bulks_),
      requester_(shop_) {}

Result<void> Selftest::start() {
  for (const std::uint32_t portal : {wire::kLstTestPortal, wire::kLstFrameworkPortal})
    if (auto lazy = shop_.lnet.set_lazy_portal({portal}); !lazy) return lazy;
  for (Intake* intake : {&framework_.intake(), &ping_.intake(), &brw_.intake()})
    intake->open(kBuffers);
  return {};
}

void Selftest::Watch::ring() {
  if (!selftest.quiet())
    return selftest.shop_.alarms.arm(*this, selftest.shop_.host.now() + kLookEvery);
  if (quiet) std::exchange(quiet, {})();
}

void Selftest::stop(std::function<void()> quiet) {
  for (Intake* intake : {&ping_.intake(), &brw_.intake()}) intake->close();
  framework_.stop();
  ping_.abort_all();
  brw_.abort_all();
  requester_.abort_all(-ESHUTDOWN);
  for (const std::uint32_t portal : {wire::kLstTestPortal, wire::kLstFrameworkPortal})
    (void)shop_.lnet.clear_lazy_portal({portal});
  watch_.quiet = std::move(quiet);
  shop_.alarms.soon(watch_);
}

void Selftest::want_buffers(wire::LstService service, std::uint32_t requests) {
  Intake& intake = service == wire::LstService::kPing ? ping_.intake() : brw_.intake();
  intake.open(std::min(requests, kBuffersMost));
}

void Selftest::session_over() {
  for (Intake* intake : {&ping_.intake(), &brw_.intake()}) intake->shrink();
}

}  // namespace ulnet::svc::selftest
