#include "selftest/service/selftest.h"

#include <algorithm>
#include <utility>

namespace ulnet::svc::selftest {
namespace {

// each service has buffers for this many requests at the start
constexpr std::uint32_t kBuffers = 128;
// each service has buffers for at most this many requests, whatever consoles request
constexpr std::uint32_t kMaxBuffers = 1U << 13;
constexpr Duration kLookEvery = std::chrono::milliseconds(5);

}  // namespace

Selftest::Selftest(Host& host, const Settings& settings)
    : context_(host, settings),
      framework_(context_, bulks_, *this),
      ping_(context_),
      brw_(context_, bulks_),
      requester_(context_) {}

Result<void> Selftest::start() {
  for (const std::uint32_t portal : {wire::kLstTestPortal, wire::kLstFrameworkPortal})
    if (auto lazy = context_.lnet.set_lazy_portal({portal}); !lazy) return lazy;
  for (RequestBuffers* buffers :
       {&framework_.request_buffers(), &ping_.request_buffers(), &brw_.request_buffers()})
    buffers->open(kBuffers);
  return {};
}

void Selftest::watch() {
  if (!quiet()) return context_.alarms.arm(watch_, context_.host.now() + kLookEvery);
  if (when_quiet_) std::exchange(when_quiet_, {})();
}

void Selftest::stop(std::function<void()> quiet) {
  for (RequestBuffers* buffers : {&ping_.request_buffers(), &brw_.request_buffers()})
    buffers->close();
  framework_.stop();
  ping_.abort_all();
  brw_.abort_all();
  requester_.abort_all(-ESHUTDOWN);
  for (const std::uint32_t portal : {wire::kLstTestPortal, wire::kLstFrameworkPortal})
    (void)context_.lnet.clear_lazy_portal({portal});
  when_quiet_ = std::move(quiet);
  context_.alarms.soon(watch_);
}

void Selftest::want_buffers(wire::LstService service, std::uint32_t requests) {
  RequestBuffers& buffers =
      service == wire::LstService::kPing ? ping_.request_buffers() : brw_.request_buffers();
  buffers.open(std::min(requests, kMaxBuffers));
}

void Selftest::session_over() {
  for (RequestBuffers* buffers : {&ping_.request_buffers(), &brw_.request_buffers()})
    buffers->shrink();
}

}  // namespace ulnet::svc::selftest
