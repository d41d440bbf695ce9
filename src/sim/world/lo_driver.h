// lnd/lo as a driver of a simulated node. It needs neither time nor links.
#pragma once

#include "lnet/lnd/lo/lo_lnd.h"
#include "sim/world/sim_driver.h"

namespace ulnet::sim {

class LoDriver final : public SimDriver {
 public:
  explicit LoDriver(lnd::Inlet& inlet) : lo_(inlet) {}

  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override { return lo_.start_ni(spec); }
  void stop_ni(core::NiId ni) override {
    pending_ = false;
    lo_.stop_ni(ni);
  }
  void submit(lnd::Command&& command) override {
    pending_ = true;
    lo_.submit(std::move(command));
  }
  void flush() override {
    pending_ = false;
    lo_.flush();
  }
  bool pending() const override { return pending_; }
  void pause(bool) override {}
  void crash(bool) override {}
  /// The driver ends every message at once; the core counts a message that it holds.
  std::size_t messages() const override { return 0; }

 private:
  lnd::lo::LoLnd lo_;
  bool pending_ = false;
};

}  // namespace ulnet::sim
