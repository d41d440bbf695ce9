// A message being received, from its header to its end. Only the engine's own files use it.
#pragma once

#include <cstdlib>
#include <memory>

#include "lnet/lnd/sock/engine/conn.h"

namespace ulnet::lnd::sock {

struct IncomingMessage : HeldMessage {
  enum class State : std::uint8_t {
    kVerdict,     ///< waits for the core's verdict
    kLanding,     ///< its payload is read into its sink
    kDropping,    ///< its payload is read and discarded
    kHeldUnread,  ///< held; its connection is not read, because there is no memory to stage it
    kStaging,     ///< held; its payload is being read into `store`
    kStaged,      ///< held; its payload is in `store`
    /// It was held, and its loss was reported; it only discards a Land, DropPayload or HoldPayload
    /// that the core gave before it learned of the loss.
    kLost,
  };
  State state = State::kVerdict;
  Conn* conn = nullptr;
  core::MsgTicket msg{};
  std::uint32_t length = 0;  ///< bytes of payload
  std::uint32_t cost = 0;    ///< taken by Outlet::take_memory(); 0: nothing is staged
  bool deferred = false;     ///< held until another shard has decided: must not be staged
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  /// Allocated with malloc(), because operator new calls the new-handler, which would spend the
  /// reserve that it keeps for allocations that must not fail.
  std::unique_ptr<std::byte[], Free> store;
  iovec store_vector{};

  bool held() const {
    return state == State::kHeldUnread || state == State::kStaging || state == State::kStaged;
  }
};

}  // namespace ulnet::lnd::sock
