// A message being received, from its header to its end. Only the engine's own files use it.
#pragma once

#include <cstdlib>
#include <memory>

#include "lnet/lnd/sock/engine/engine.h"

namespace ulnet::lnd::sock {

struct Engine::Rx : HeldMessage {
  enum class State : std::uint8_t {
    kVerdict,     ///< waits for the core's verdict
    kLanding,     ///< its payload is read into its sink
    kDropping,    ///< its payload is read and discarded
    kHeldUnread,  ///< held; its connection is not read, because there is no room to stage it
    kStaging,     ///< held; its payload is being read into `store`
    kStaged,      ///< held; its payload is in `store`
    kLost,        ///< it was held, and its loss was reported; only discards a Land, DropPayload or
                  ///< HoldPayload that the core gave before it heard of that
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
  /// Of malloc(): a new-handler would spend on it what it keeps for those who must not fail.
  std::unique_ptr<std::byte[], Free> store;
  iovec store_vector{};

  bool held() const {
    return state == State::kHeldUnread || state == State::kStaging || state == State::kStaged;
  }
};

}  // namespace ulnet::lnd::sock
