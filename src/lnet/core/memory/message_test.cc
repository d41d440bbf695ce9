// The whole matrix of states and events of a message: a row that is deleted or added fails this
// test. DESIGN.md 2.
#include "lnet/core/memory/message.h"

#include <gtest/gtest.h>

#include "lnet/base/life_cycle_fixture.h"

namespace ulnet::core {
namespace {

TEST(MsgLifeCycle, HasTheseSteps) {  // spec/core-semantics.md 7.1, 10.2
  EXPECT_EQ(
      ulnet::test::matrix(kMsgLifeCycle),
      "fresh: [no peer credit -> peer queue] [no ni credit -> ni queue] [submit -> "
      "sending] [transmit -> elsewhere] [stale -> config queue] [unknown peer -> discovery] [delay "
      "-> delayed] [fault -> faulted] [ask -> asking]"
      " [offer -> offered] [hold -> held] [land -> landing] [no router credit -> router queue] "
      "[no buffer -> buffer queue] [end -> ended]\n"
      "peer queue: [credit -> ready] [retry -> fresh] [end -> ended]\n"
      "ni queue: [credit -> ready] [retry -> fresh] [end -> ended]\n"
      "ready: [no ni credit -> ni queue] [submit -> sending] [retry -> fresh] [delay -> delayed] "
      "[fault -> faulted] "
      "[end -> ended]\n"
      "sending: [retry -> fresh] [end -> ended]\n"
      "elsewhere: [retry -> fresh] [end -> ended]\n"
      "config queue: [retry -> fresh] [end -> ended]\n"
      "discovery: [retry -> fresh] [end -> ended]\n"
      "delayed: [submit -> sending] [retry -> fresh] [end -> ended]\n"
      "faulted: [retry -> fresh] [end -> ended]\n"
      "asking: [offer -> offered] [hold -> held] [land -> landing] [end -> ended]\n"
      "offered: [hold -> held] [land -> landing] [end -> ended]\n"
      "held: [offer -> offered] [land -> landing] [end -> ended]\n"
      "landing: [retry -> fresh] [end -> ended]\n"
      "router queue: [no buffer -> buffer queue] [buffer -> buffered] [end -> ended]\n"
      "buffer queue: [buffer -> buffered] [end -> ended]\n"
      "buffered: [retry -> fresh] [land -> landing] [end -> ended]\n"
      "ended:\n");
}

TEST(MsgLifeCycle, OtherValuesHaveNoName) {
  EXPECT_STREQ(to_string(MsgState::kCount), "?");
  EXPECT_STREQ(to_string(MsgEvent::kCount), "?");
}

}  // namespace
}  // namespace ulnet::core
