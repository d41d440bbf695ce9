// The bulk test: data from the server (READ) or to it (WRITE), with a pattern that is checked.
// Source: spec/wire-selftest.md 4.2, 5.2, 5.3, 6.
#pragma once

#include "svc/selftest/served.h"

namespace ulnet::svc::selftest {

class BrwServer final : private Intake::Server, private Served::Owner {
 public:
  BrwServer(Shop& shop, BulkPool& pool);
  Intake& intake() { return intake_; }
  void abort_all() { served_.abort_all(); }

 private:
  bool serve(const Arrived& request) override;
  void moved(Served& served, int status) override;
  void freed(Served& served) override;
  void answer(Served& served, std::uint32_t status);

  Shop& shop_;
  BulkPool& bulks_;
  Intake intake_;
  ServedPool served_;
};

}  // namespace ulnet::svc::selftest
