// Messages that pass from one memory to another without a wire between: the payload stays where the
// sender has it until the receiver has said where it goes. What lo and pipe share. One thread at a
// time.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/slab.h"
#include "lnd/lnd.h"

namespace ulnet::lnd {

class Transfers {
 public:
  struct Transfer {
    core::Send send;
    Inlet* from = nullptr;
    Inlet* to = nullptr;
    core::NiId to_ni;
    core::MsgTicket msg{};  ///< once landed or held
    bool held = false;
    bool lost = false;  ///< reported; only swallows a verdict that crossed the report
  };

  /// Delivers the header to `to`. The verdict may be given before this returns, or later.
  void begin(core::Send&& send, Inlet& from, Inlet& to, core::NiId to_ni, const core::Hop& sender);

  // Verdicts. One about a transfer that is gone is answered as a dead connection would.
  void land(const core::Land& land, Inlet& to);
  void hold(const core::HoldPayload& hold, Inlet& to);
  void drop(const core::DropPayload& drop);
  /// Returns what was rejected, for a driver that closes a connection.
  std::optional<Transfer> reject(const core::Reject& reject);

  /// Ends every transfer that `which` names: its Send, and its payload where it was held.
  void fail_if(const std::function<bool(const Transfer&)>& which, int status, core::Health health);
  /// All verdicts that were given before have been passed on.
  void settled();
  std::size_t size() const { return live_.size(); }

 private:
  Transfer* find(core::RxTicket rx, Handle& handle);

  Slab<Transfer> live_;
  std::vector<Handle> lost_, lost_before_;
};

}  // namespace ulnet::lnd
