// The ping test: a message and its reply, no data. Source: spec/wire-selftest.md 4.1.
#pragma once

#include "svc/selftest/served.h"

namespace ulnet::svc::selftest {

class PingServer final : private Intake::Server, private Served::Owner {
 public:
  explicit PingServer(Shop& shop)
      : shop_(shop), intake_(shop, wire::LstService::kPing, *this), served_(shop, *this) {}
  Intake& intake() { return intake_; }
  void abort_all() { served_.abort_all(); }

 private:
  bool serve(const Arrived& request) override;
  void moved(Served&, int) override {}
  void freed(Served& served) override;

  Shop& shop_;
  Intake intake_;
  ServedPool served_;
};

}  // namespace ulnet::svc::selftest
