// The tcp driver of a trial node (node::Node::start_trial()): it takes and refuses NIs as SockLnd
// does, but listens on no port and connects to nobody. Source: DESIGN.md 5.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lnet/lnd/lnd.h"

namespace ulnet::lnd::sock {

class TrialLnd final : public Lnd {
 public:
  /// `inlet` must outlive the driver. `congestion`: as SockTunables::congestion.
  TrialLnd(Inlet& inlet, std::string congestion)
      : inlet_(inlet), congestion_(std::move(congestion)) {}

  /// As SockLnd, except that the NI's device need not exist or have an address now: the NI then has
  /// the address that the configuration gives, or one of 240.0.0.0/4, which is reserved.
  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  /// A Send fails when it is flushed. Nothing arrives, so the core sends no other command.
  void submit(Command&& command) override;
  void flush() override { fail_sends(); }

 private:
  Result<Nid> nid_of(const NiSpec& spec);
  void fail_sends();

  Inlet& inlet_;
  const std::string congestion_;
  std::mutex delivering_;  ///< held while inputs are delivered; taken before lock_
  std::mutex lock_;        ///< guards the rest
  std::vector<core::MsgTicket> sends_;
  std::map<core::NiId, Nid> nis_;
  std::uint32_t made_up_ = 0;  ///< how many addresses were made up
};

}  // namespace ulnet::lnd::sock
