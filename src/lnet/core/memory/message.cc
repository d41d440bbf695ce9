// Lists the transitions of a message's states, from its start or arrival to its end. Source:
// spec/core-semantics.md 6, 7.1, 10.2, 10.3.
#include "lnet/core/memory/message.h"

namespace ulnet::core {

static_assert(sizeof(Msg) <= limits::kAnswerBytes);

constinit const LifeCycle<MsgState, MsgEvent> kMsgLifeCycle = [] {
  using S = MsgState;
  using E = MsgEvent;
  return LifeCycle<MsgState, MsgEvent>({
      // outgoing: first the peer's credit, then the NI's
      {S::kFresh, E::kNoPeerCredit, S::kPeerQueue},
      {S::kFresh, E::kNoNiCredit, S::kNiQueue},
      {S::kFresh, E::kSubmit, S::kSending},
      {S::kPeerQueue, E::kCredit, S::kReady},
      {S::kNiQueue, E::kCredit, S::kReady},
      {S::kReady, E::kNoNiCredit, S::kNiQueue},
      {S::kReady, E::kSubmit, S::kSending},
      {S::kReady, E::kRetry, S::kFresh},      // another path is better now
      {S::kPeerQueue, E::kRetry, S::kFresh},  // its NI has failed
      {S::kNiQueue, E::kRetry, S::kFresh},
      {S::kPeerQueue, E::kEnd, S::kEnded},  // its MD is unlinked, or its NI removed
      {S::kNiQueue, E::kEnd, S::kEnded},
      {S::kReady, E::kEnd, S::kEnded},  // past its deadline, or its MD is aborted
      {S::kSending, E::kRetry, S::kFresh},
      {S::kSending, E::kEnd, S::kEnded},
      // outgoing, another shard transmits it
      {S::kFresh, E::kTransmit, S::kElsewhere},
      {S::kElsewhere, E::kRetry, S::kFresh},
      {S::kElsewhere, E::kEnd, S::kEnded},
      {S::kFresh, E::kStale, S::kConfigQueue},
      {S::kConfigQueue, E::kRetry, S::kFresh},
      {S::kConfigQueue, E::kEnd, S::kEnded},  // its MD is unlinked, or the node shut down
      {S::kFresh, E::kUnknownPeer, S::kDiscovery},
      {S::kDiscovery, E::kRetry, S::kFresh},
      {S::kDiscovery, E::kEnd, S::kEnded},
      // outgoing, a fault rule delays, fails or loses it
      {S::kFresh, E::kDelay, S::kDelayed},
      {S::kReady, E::kDelay, S::kDelayed},
      {S::kDelayed, E::kSubmit, S::kSending},
      {S::kDelayed, E::kEnd, S::kEnded},  // its MD is unlinked, or its NI removed
      {S::kFresh, E::kFault, S::kFaulted},
      {S::kReady, E::kFault, S::kFaulted},
      {S::kFaulted, E::kRetry, S::kFresh},
      {S::kFaulted, E::kEnd, S::kEnded},
      {S::kDelayed, E::kRetry, S::kFresh},  // incoming, a fault rule delays it
      // incoming
      {S::kFresh, E::kHold, S::kHeld},
      {S::kFresh, E::kLand, S::kLanding},
      {S::kHeld, E::kLand, S::kLanding},
      {S::kHeld, E::kEnd, S::kEnded},
      // incoming, another shard looks for the buffer or the MD
      {S::kFresh, E::kAsk, S::kAsking},
      {S::kAsking, E::kHold, S::kHeld},
      {S::kAsking, E::kLand, S::kLanding},
      {S::kAsking, E::kEnd, S::kEnded},
      // incoming, in its portal's owner shard
      {S::kFresh, E::kOffer, S::kOffered},
      {S::kAsking, E::kOffer, S::kOffered},
      {S::kHeld, E::kOffer, S::kOffered},
      {S::kOffered, E::kHold, S::kHeld},
      {S::kOffered, E::kLand, S::kLanding},
      {S::kOffered, E::kEnd, S::kEnded},
      {S::kLanding, E::kEnd, S::kEnded},
      // incoming, to be forwarded: first a router credit, then a buffer, then it is sent
      {S::kFresh, E::kNoRouterCredit, S::kRouterQueue},
      {S::kFresh, E::kNoBuffer, S::kBufferQueue},
      {S::kRouterQueue, E::kNoBuffer, S::kBufferQueue},
      {S::kRouterQueue, E::kBuffer, S::kBuffered},
      {S::kBufferQueue, E::kBuffer, S::kBuffered},
      {S::kBuffered, E::kLand, S::kLanding},
      {S::kBuffered, E::kRetry, S::kFresh},  // it has no payload
      {S::kLanding, E::kRetry, S::kFresh},
      {S::kRouterQueue, E::kEnd, S::kEnded},  // its connection or NI is gone, or routing is off
      {S::kBufferQueue, E::kEnd, S::kEnded},
      {S::kBuffered, E::kEnd, S::kEnded},
      // outgoing: it has no path, or its deadline is over; incoming: it need not wait
      {S::kFresh, E::kEnd, S::kEnded},
  });
}();

const char* to_string(MsgState state) {
  static constexpr const char* kNames[] = {
      "fresh",        "peer queue", "ni queue",     "ready",        "sending",  "elsewhere",
      "config queue", "discovery",  "delayed",      "faulted",      "asking",   "offered",
      "held",         "landing",    "router queue", "buffer queue", "buffered", "ended"};
  return state < MsgState::kCount ? kNames[static_cast<std::size_t>(state)] : "?";
}

const char* to_string(MsgEvent event) {
  static constexpr const char* kNames[] = {
      "no peer credit",   "no ni credit", "credit", "submit", "retry", "transmit", "stale",
      "unknown peer",     "delay",        "fault",  "ask",    "offer", "hold",     "land",
      "no router credit", "no buffer",    "buffer", "end"};
  return event < MsgEvent::kCount ? kNames[static_cast<std::size_t>(event)] : "?";
}

}  // namespace ulnet::core
