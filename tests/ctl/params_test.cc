// The registry of module parameters agrees with the TCP driver's tunables: names, defaults, and
// which of them count only at a start.
#include "conf/params.h"

#include <gtest/gtest.h>

#include "lnd/sock/engine/tunables.h"

namespace ulnet {
namespace {

TEST(ParamsAndSockTunables, SayTheSame) {
  for (const lnd::sock::TunableInfo& tunable : lnd::sock::tunables()) {
    const std::string name(tunable.name);
    const conf::Param* param = conf::find_param(name);
    ASSERT_NE(param, nullptr) << name;
    EXPECT_EQ(param->start_only, tunable.start_only) << name;
    lnd::sock::SockTunables fresh;
    EXPECT_EQ(lnd::sock::get_tunable(fresh, name).value_or("?"), param->initial) << name;
    EXPECT_TRUE(lnd::sock::set_tunable(fresh, name, param->initial).has_value()) << name;
  }
}

}  // namespace
}  // namespace ulnet
