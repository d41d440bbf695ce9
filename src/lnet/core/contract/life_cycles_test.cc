// The life cycles of the Multi-Rail design: every state and event. docs/spec/design-vs-today.md.
#include "lnet/core/contract/life_cycles.h"

#include <gtest/gtest.h>

#include "lnet/core/contract/stats.h"

namespace ulnet::core {
namespace {

/// "state: event>state ..." with the numbers of events, a line for each state.
template <class State, class Event>
std::string matrix(const LifeCycle<State, Event>& life_cycle) {
  std::string text;
  for (std::size_t from = 0; from < static_cast<std::size_t>(State::kCount); ++from) {
    text += std::string(to_string(static_cast<State>(from))) + ":";
    for (std::size_t on = 0; on < static_cast<std::size_t>(Event::kCount); ++on) {
      if (!life_cycle.allows(static_cast<State>(from), static_cast<Event>(on))) continue;
      const State to = life_cycle.after(static_cast<State>(from), static_cast<Event>(on));
      text += " " + std::to_string(on) + ">" + to_string(to);
    }
    text += "\n";
  }
  return text;
}

TEST(ShownLifeCycle, AnNi) {  // added, link well, slow, failed, removed
  EXPECT_EQ(matrix(kNiShownLifeCycle),
            "init: 0>created\n"
            "created: 1>created 2>degraded 3>failed 4>deleting\n"
            "degraded: 1>created 2>degraded 3>failed 4>deleting\n"
            "failed: 1>created 2>degraded 3>failed 4>deleting\n"
            "deleting: 1>deleting 2>deleting 3>deleting\n");
}

TEST(ShownLifeCycle, ANet) {  // first NI, all failed, one well, removed
  EXPECT_EQ(matrix(kNetShownLifeCycle),
            "init: 0>active\n"
            "active: 1>inactive 2>active 3>deleting\n"
            "inactive: 1>inactive 2>active 3>deleting\n"
            "deleting:\n");
}

TEST(ShownLifeCycle, APeerNi) {  // made, send, success, failure, removed
  EXPECT_EQ(matrix(kPeerNiShownLifeCycle),
            "init: 0>created\n"
            "created: 1>activating 2>connected 3>failed 4>deleting\n"
            "activating: 2>connected 3>failed 4>deleting\n"
            "connected: 2>connected 3>failed 4>deleting\n"
            "failed: 2>connected 3>failed 4>deleting\n"
            "deleting: 0>created 2>deleting 3>deleting 4>deleting\n");
}

TEST(ShownLifeCycle, APeer) {
  // met, discover, ping, ping ended, push, push ended, discovered, all paths failed, recovered
  EXPECT_EQ(matrix(kPeerShownLifeCycle),
            "init: 0>active\n"
            "active: 1>discover 2>ping sent 4>push sent 6>active 7>inactive\n"
            "discover: 2>ping sent 4>push sent 6>active\n"
            "ping sent: 1>ping sent 3>data received 6>active\n"
            "data received: 1>discover 2>ping sent 4>push sent 6>active\n"
            "push sent: 1>push sent 5>discover 6>active\n"
            "inactive: 8>active\n");
}

TEST(ShownLifeCycle, APeerIsInactiveWhenAllItsNidsHaveFailed) {
  PeerShow peer;
  EXPECT_EQ(shown_life_cycle(peer), PeerLifeState::kActive) << "it has none";
  peer.nis.resize(2);
  peer.nis[0].life_cycle = PeerNiLifeState::kFailed;
  peer.nis[1].life_cycle = PeerNiLifeState::kConnected;
  EXPECT_EQ(shown_life_cycle(peer), PeerLifeState::kActive);
  peer.nis[1].life_cycle = PeerNiLifeState::kFailed;
  EXPECT_EQ(shown_life_cycle(peer), PeerLifeState::kInactive);
  peer.life_cycle = PeerLifeState::kPingSent;
  EXPECT_EQ(shown_life_cycle(peer), PeerLifeState::kPingSent);
}

TEST(ShownLifeCycle, OtherValuesHaveNoName) {
  EXPECT_STREQ(to_string(NiLifeState::kCount), "?");
  EXPECT_STREQ(to_string(NetLifeState::kCount), "?");
  EXPECT_STREQ(to_string(PeerNiLifeState::kCount), "?");
  EXPECT_STREQ(to_string(PeerLifeState::kCount), "?");
}

}  // namespace
}  // namespace ulnet::core
