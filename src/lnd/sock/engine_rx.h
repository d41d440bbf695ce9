// A message being received, from its header to its end: the engine's own, shared by the files of
// its receiving half.
#pragma once

#include <memory>

#include "lnd/sock/engine.h"

namespace ulnet::lnd::sock {

struct Engine::Rx : HeldMessage {
  enum class State : std::uint8_t {
    kVerdict,     ///< the core has not said yet
    kLanding,     ///< read into its sink
    kDropping,    ///< read and discarded
    kHeldUnread,  ///< held, without room to stage it: the connection is not read
    kStaging,     ///< held, being read into `store`
    kStaged,      ///< held, all in `store`
    kLost,  ///< held, and reported lost; only swallows a Land, DropPayload or HoldPayload that
            ///< crossed the report
  };
  State state = State::kVerdict;
  Conn* conn = nullptr;
  core::MsgTicket msg{};
  std::uint32_t length = 0;
  std::uint32_t cost = 0;  ///< of Peer::held_bytes
  bool deferred = false;   ///< held until another shard has decided: not to be staged
  std::unique_ptr<std::byte[]> store;
  iovec store_vector{};

  bool held() const {
    return state == State::kHeldUnread || state == State::kStaging || state == State::kStaged;
  }
};

}  // namespace ulnet::lnd::sock
