// The driver of a trial node (Node::start_trial), for nets of any type: its NIs have NIDs but no
// sockets, and reach nobody. Source: DESIGN.md 5.
#pragma once

#include <cstdint>

#include "lnet/lnd/pipe/pipe_lnd.h"

namespace ulnet::node {

class TrialLnd final : public lnd::Lnd {
 public:
  /// `inlet` must outlive the driver.
  explicit TrialLnd(lnd::Inlet& inlet) : pipe_(world_, inlet) {}

  /// An NI that names a device of this machine gets that device's address, so that its NID is the
  /// real one. If the device has no address now or does not exist, the NI gets an address that no
  /// machine has. -EEXIST: another NI has the NID.
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override;
  void stop_ni(core::NiId ni) override { pipe_.stop_ni(ni); }
  void submit(lnd::Command&& command) override { pipe_.submit(std::move(command)); }
  void flush() override { pipe_.flush(); }
  bool progress(Duration wait) override { return pipe_.progress(wait); }

 private:
  Nid nid_of(const lnd::NiSpec& spec);

  std::uint32_t made_up_ = 0;  // how many addresses were made up
  lnd::pipe::PipeWorld world_;
  lnd::pipe::PipeLnd pipe_;
};

}  // namespace ulnet::node
