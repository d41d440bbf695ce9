// The surroundings that an LNet selftest console needs, on the simulator: the console runs on a
// node that has the selftest. Source: DESIGN.md 1, 6.
//
//   SelftestSurroundings there(host);
//   Console console(there);
//   host.run([&] { console.new_session(...); });
#pragma once

#include <algorithm>

#include "selftest/console/surroundings.h"
#include "sim/world/selftest_host.h"

namespace ulnet::sim {

class SelftestSurroundings final : public svc::selftest::console::Surroundings {
 public:
  /// `host` must outlive it.
  explicit SelftestSurroundings(SelftestHost& host) : host_(host) {}

  svc::selftest::Caller& caller() override { return host_.selftest().caller(); }
  Instant now() const override { return host_.world().now(); }
  std::int64_t wall_ms() const override { return now().time_since_epoch().count() / 1'000'000; }
  Result<Nid> nid() override {
    for (const NiSetup& ni : host_.node().setup().nis)
      if (ni.nid.is_small()) return ni.nid;
    return fail(-EADDRNOTAVAIL, "this node has no NID with a 4-byte address");
  }
  bool is_own(const Nid& nid) const override {
    const auto& nis = host_.node().setup().nis;
    return std::ranges::any_of(nis, [&](const NiSetup& ni) { return ni.nid == nid; });
  }
  std::optional<svc::selftest::Latency> own_latency(const wire::LstSessionId& session,
                                                    std::uint64_t batch,
                                                    std::uint32_t index) const override {
    const auto* test = host_.selftest().framework().client_test(session, batch, index);
    return test == nullptr ? std::nullopt : std::optional(test->latency());
  }
  void after(Duration delay, std::function<void()> fn) override {
    host_.node().after(delay, [this, fn = std::move(fn), there = std::weak_ptr(there_)] {
      if (!there.expired()) host_.run(fn);
    });
  }

 private:
  SelftestHost& host_;
  const std::shared_ptr<int> there_ = std::make_shared<int>();
};

}  // namespace ulnet::sim
