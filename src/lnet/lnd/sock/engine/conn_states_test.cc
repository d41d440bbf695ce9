// The whole matrix of states and events of both life cycles, so that a row that is added, changed
// or lost shows here.
#include "lnet/lnd/sock/engine/conn_states.h"

#include <gtest/gtest.h>

#include <string>

namespace ulnet::lnd::sock {
namespace {

template <class State, class Event, std::size_t N>
std::string matrix(const std::array<Step<State, Event>, N>& table, int states, int events) {
  std::string text;
  for (int s = 0; s < states; ++s) {
    for (int e = 0; e < events; ++e) {
      const auto next = next_state(table, static_cast<State>(s), static_cast<Event>(e));
      text += next ? static_cast<char>('0' + static_cast<int>(*next)) : '.';
    }
    text += '\n';
  }
  return text;
}

// spec/wire-socklnd.md 1, 4.5. Rows: connecting greeting request hello open refusing closed;
// columns: connected request-read hello-accepted refuse refusal-sent fail.
TEST(ConnStates, ConnectionTable) {
  EXPECT_EQ(matrix(kConnLifeCycle, 7, 6),
            "1....6\n"
            "..4..6\n"
            ".3.5.6\n"
            "..45.6\n"
            ".....6\n"
            "....66\n"
            "......\n");
}

// spec/wire-socklnd.md 4.5, 4.6, 5.1, 10. Rows: idle dialling refused resting back-off; columns:
// start opened retry-now refuse give-in fail pause-over forget.
TEST(ConnStates, DialTable) {
  EXPECT_EQ(matrix(kDialLifeCycle, 5, 8),
            "1......0\n"
            ".00234.0\n"
            "......00\n"
            "......00\n"
            "......0.\n");
}

TEST(ConnStates, NoStepIsListedTwice) {
  for (const auto& a : kConnLifeCycle) {
    int same = 0;
    for (const auto& b : kConnLifeCycle) same += a.from == b.from && a.event == b.event;
    EXPECT_EQ(same, 1);
  }
}

}  // namespace
}  // namespace ulnet::lnd::sock
