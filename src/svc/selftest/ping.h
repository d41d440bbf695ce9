// The ping test: a message and its reply, no data. Source: spec/wire-selftest.md 4.1.
#pragma once

#include "svc/selftest/served.h"

namespace ulnet::svc::selftest {

/// What every test server checks first: 0, or the status of the reply that refuses (2.2, 2.3).
std::uint32_t judge_test_request(const wire::LstMessage& request);
/// The reply's frame to a test request.
wire::LstMessage test_reply(const wire::LstMessage& request, wire::LstBody body);

class PingServer final : private Intake::Server, private Served::Owner {
 public:
  explicit PingServer(Shop& shop)
      : shop_(shop), intake_(shop, wire::LstService::kPing, *this), served_(shop, *this, kAtOnce) {}
  Intake& intake() { return intake_; }
  void abort_all() { served_.abort_all(); }

 private:
  static constexpr std::size_t kAtOnce = 1024;

  bool serve(const Arrived& request) override;
  void moved(Served&, int) override {}
  void freed(Served& served) override;

  Shop& shop_;
  Intake intake_;
  ServedPool served_;
};

}  // namespace ulnet::svc::selftest
