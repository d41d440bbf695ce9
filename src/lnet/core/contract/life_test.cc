// The life cycles of the Multi-Rail design: every state and event. docs/spec/design-vs-today.md.
#include "lnet/core/contract/life.h"

#include <gtest/gtest.h>

#include "lnet/core/contract/stats.h"

namespace ulnet::core {
namespace {

/// "state: event>state ..." with the numbers of events, a line for each state.
template <class State, class Event>
std::string matrix(const LifeCycle<State, Event>& life) {
  std::string text;
  for (std::size_t from = 0; from < static_cast<std::size_t>(State::kCount); ++from) {
    text += std::string(to_string(static_cast<State>(from))) + ":";
    for (std::size_t on = 0; on < static_cast<std::size_t>(Event::kCount); ++on) {
      if (!life.allows(static_cast<State>(from), static_cast<Event>(on))) continue;
      const State to = life.after(static_cast<State>(from), static_cast<Event>(on));
      text += " " + std::to_string(on) + ">" + to_string(to);
    }
    text += "\n";
  }
  return text;
}

TEST(ShownLife, OfAnNi) {  // added, link well, slow, failed, removed
  EXPECT_EQ(matrix(kNiShownLife),
            "init: 0>created\n"
            "created: 1>created 2>degraded 3>failed 4>deleting\n"
            "degraded: 1>created 2>degraded 3>failed 4>deleting\n"
            "failed: 1>created 2>degraded 3>failed 4>deleting\n"
            "deleting: 1>deleting 2>deleting 3>deleting\n");
}

TEST(ShownLife, OfANet) {  // first NI, all failed, one well, removed
  EXPECT_EQ(matrix(kNetShownLife),
            "init: 0>active\n"
            "active: 1>inactive 2>active 3>deleting\n"
            "inactive: 1>inactive 2>active 3>deleting\n"
            "deleting:\n");
}

TEST(ShownLife, OfAPeerNi) {  // made, send, success, failure, removed
  EXPECT_EQ(matrix(kPeerNiShownLife),
            "init: 0>created\n"
            "created: 1>activating 2>connected 3>failed 4>deleting\n"
            "activating: 2>connected 3>failed 4>deleting\n"
            "connected: 2>connected 3>failed 4>deleting\n"
            "failed: 2>connected 3>failed 4>deleting\n"
            "deleting: 0>created 2>deleting 3>deleting 4>deleting\n");
}

TEST(ShownLife, OfAPeer) {
  // met, discover, ping, ping ended, push, push ended, discovered, all paths failed, recovered
  EXPECT_EQ(matrix(kPeerShownLife),
            "init: 0>active\n"
            "active: 1>discover 2>ping sent 4>push sent 6>active 7>inactive\n"
            "discover: 2>ping sent 4>push sent 6>active\n"
            "ping sent: 1>ping sent 3>data received 6>active\n"
            "data received: 1>discover 2>ping sent 4>push sent 6>active\n"
            "push sent: 1>push sent 5>discover 6>active\n"
            "inactive: 8>active\n");
}

TEST(ShownLife, APeerIsInactiveWhenAllItsNidsHaveFailed) {
  PeerShow peer;
  EXPECT_EQ(shown_life(peer), PeerLife::kActive) << "it has none";
  peer.nis.resize(2);
  peer.nis[0].life = PeerNiLife::kFailed;
  peer.nis[1].life = PeerNiLife::kConnected;
  EXPECT_EQ(shown_life(peer), PeerLife::kActive);
  peer.nis[1].life = PeerNiLife::kFailed;
  EXPECT_EQ(shown_life(peer), PeerLife::kInactive);
  peer.life = PeerLife::kPingSent;
  EXPECT_EQ(shown_life(peer), PeerLife::kPingSent);
}

TEST(ShownLife, WhatIsNoneOfThemHasNoName) {
  EXPECT_STREQ(to_string(NiLife::kCount), "?");
  EXPECT_STREQ(to_string(NetLife::kCount), "?");
  EXPECT_STREQ(to_string(PeerNiLife::kCount), "?");
  EXPECT_STREQ(to_string(PeerLife::kCount), "?");
}

}  // namespace
}  // namespace ulnet::core
