// Messages that pass from one memory to another without a wire in between: the payload stays in the
// sender's memory until the receiver has given its verdict. The drivers lo and pipe use this. One
// thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/lnd/lnd.h"

namespace ulnet::lnd {

class Transfers {
 public:
  struct Transfer {
    core::Send send;
    Inlet* from = nullptr;
    Inlet* to = nullptr;
    core::NiId to_ni;
    core::MsgTicket msg{};  ///< the receiver's message, once it is held
    bool held = false;
    /// The receiver was notified that the transfer ended; the record only discards a verdict that
    /// the receiver gave before it learned of that.
    bool lost = false;
  };

  /// Delivers the header to `to`. The core may give its verdict before this returns, or later. The
  /// caller carries the verdict out after this call, except for the one that deliver() itself
  /// returns.
  void begin(const core::Send& send, Inlet& from, Inlet& to, core::NiId to_ni,
             const core::Hop& sender);

  // Verdicts of the receiver. A Land or HoldPayload for a transfer that is gone is answered as a
  // dead connection answers.
  void land(const core::Land& land, Inlet& to);
  void hold(const core::HoldPayload& hold, Inlet& to);
  void drop(const core::DropPayload& drop);
  /// Returns the rejected transfer, for a driver that closes the connection then; nothing if the
  /// transfer is gone.
  std::optional<Transfer> reject(const core::Reject& reject);

  /// Ends every transfer for which `which` returns true: delivers its SendDone, and, if it is
  /// held, its PayloadLanded.
  void fail_if(const std::function<bool(const Transfer&)>& which, int status, core::Health health);
  /// To be called when all submitted commands have been applied. Forgets the transfers that were
  /// lost before the previous call: no verdict about them can still come.
  void settled();
  std::size_t size() const { return live_.size(); }

 private:
  Transfer* find(core::RxTicket rx, Handle& handle);

  Slab<Transfer> live_;
  std::vector<Handle> lost_, lost_before_;  ///< lost since the last settled(), and before it
};

}  // namespace ulnet::lnd
