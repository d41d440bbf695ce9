#include "lnet/core/path/routing_state.h"

#include <gtest/gtest.h>

#include <map>

namespace ulnet::core::test {

using S = RoutingState;
using E = RoutingEvent;

TEST(RoutingLifeCycle, EveryStateAndEvent) {  // spec/multirail.md 9.1
  const std::map<std::pair<S, E>, S> rows{
      {{S::kDisabled, E::kOn}, S::kStarting},      {{S::kDisabled, E::kOnAtOnce}, S::kEnabled},
      {{S::kStarting, E::kTime}, S::kEnabled},     {{S::kStarting, E::kOnAtOnce}, S::kEnabled},
      {{S::kStarting, E::kOff}, S::kStopping},     {{S::kEnabled, E::kOff}, S::kStopping},
      {{S::kStopping, E::kTime}, S::kDisabled},    {{S::kStopping, E::kOn}, S::kStarting},
      {{S::kStopping, E::kOnAtOnce}, S::kEnabled},
  };
  for (int state = 0; state < static_cast<int>(S::kCount); ++state)
    for (int event = 0; event < static_cast<int>(E::kCount); ++event) {
      const auto from = static_cast<S>(state);
      const auto on = static_cast<E>(event);
      const auto row = rows.find({from, on});
      EXPECT_EQ(kRoutingLifeCycle.allows(from, on), row != rows.end()) << state << ' ' << event;
      if (row != rows.end()) {
        EXPECT_EQ(kRoutingLifeCycle.after(from, on), row->second);
      }
    }
}

TEST(RoutingLifeCycle, PeersNeedAnIntervalAndAPingToNotice) {
  Globals globals;
  EXPECT_EQ(notice_time(globals), std::chrono::seconds(110));
  globals.alive_router_check_interval = -1;
  EXPECT_EQ(notice_time(globals), std::chrono::seconds(50));
}

}  // namespace ulnet::core::test
