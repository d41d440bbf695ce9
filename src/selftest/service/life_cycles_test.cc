// The whole state x event matrix of the life cycles of an RPC, so that a deleted or added row makes
// a test fail. DESIGN.md 2.
#include <gtest/gtest.h>

#include "lnet/base/life_cycle_fixture.h"
#include "selftest/service/call.h"
#include "selftest/service/served.h"

namespace ulnet::svc::selftest {
namespace {

using ulnet::test::matrix;

TEST(LifeCycles, Call) {  // spec/wire-selftest.md 1.2.6
  EXPECT_EQ(matrix(kCallLifeCycle),
            "idle: [begin -> waiting]\n"
            "waiting: [done -> idle] [fail -> failing]\n"
            "failing: [release -> idle]\n");
}

TEST(LifeCycles, Served) {  // spec/wire-selftest.md 1.2
  EXPECT_EQ(matrix(kServedLifeCycle),
            "free: [take -> serving]\n"
            "serving: [move -> moving] [end -> ending]\n"
            "moving: [over -> serving]\n"
            "ending: [over -> free]\n");
}

}  // namespace
}  // namespace ulnet::svc::selftest
