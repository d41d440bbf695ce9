#include "lnet/config/ni_values.h"

#include <gtest/gtest.h>

#include <string>

#include "lnet/config/params.h"

namespace ulnet::conf {
namespace {

TEST(LndTunables, EachRowIsConsistentAndHasAParameterThatGivesItsDefault) {
  for (const LndTunable& tunable : kLndTunables) {
    EXPECT_EQ(find_lnd_tunable(tunable.name), &tunable) << tunable.name;
    EXPECT_TRUE(tunable.range.has(tunable.initial)) << tunable.name;
    EXPECT_FALSE(tunable.range.out_of_range.empty()) << tunable.name;
    EXPECT_EQ(tunable.written().has(-1), tunable.takes_minus_one || tunable.range.has(-1));
    const Param* param = find_param(tunable.name);
    ASSERT_NE(param, nullptr) << tunable.name;
    EXPECT_EQ(param->initial, std::to_string(tunable.initial)) << tunable.name;
    EXPECT_TRUE(param->min <= tunable.range.min && param->max >= tunable.range.max);
  }
}

TEST(LndTunables, AreRefusedInLnetctlsWords) {
  EXPECT_TRUE(check_lnd_tunables({}));
  EXPECT_TRUE(check_lnd_tunables({{"conns_per_peer", 127}, {"tos", -1}}));
  for (const auto& [tunables, reason] : {
           std::pair(LndTunables{{"conns_per_peer", -1}}, kConnsPerPeer.out_of_range),
           std::pair(LndTunables{{"conns_per_peer", 128}, {"tos", 256}},
                     kConnsPerPeer.out_of_range),
           std::pair(LndTunables{{"tos", 256}}, kTos.out_of_range),
           std::pair(LndTunables{{"nagle", 1}}, std::string_view("an NI has no tunable 'nagle'")),
       }) {
    const auto checked = check_lnd_tunables(tunables);
    ASSERT_FALSE(checked) << reason;
    EXPECT_EQ(checked.error().code, -EINVAL);
    EXPECT_EQ(checked.error().reason, reason);
  }
}

}  // namespace
}  // namespace ulnet::conf
