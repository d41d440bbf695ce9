#include "selftest/console/distribution.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ulnet::svc::selftest::console {
namespace {

using Places = std::vector<std::size_t>;

TEST(Distribution, OneToOneGoesRoundTheServers) {  // spec/cli-lst.md 4
  EXPECT_EQ(destinations_of(0, 2, {1, 1}), Places{0});
  EXPECT_EQ(destinations_of(1, 2, {1, 1}), Places{1});
  EXPECT_EQ(destinations_of(2, 2, {1, 1}), Places{0});
}

TEST(Distribution, OneToManyTakesServersInARow) {  // spec/wire-selftest.md 5.1
  EXPECT_EQ(destinations_of(0, 5, {1, 2}), (Places{0, 1}));
  EXPECT_EQ(destinations_of(1, 5, {1, 2}), (Places{2, 3}));
  EXPECT_EQ(destinations_of(2, 5, {1, 2}), (Places{4, 0}));
}

TEST(Distribution, ManyToOneShare) {
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(destinations_of(i, 2, {4, 1}), Places{0});
  for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(destinations_of(i, 2, {4, 1}), Places{1});
}

TEST(Distribution, ManyToManyShareARow) {  // spec/cli-lst.md 4
  EXPECT_EQ(destinations_of(1, 6, {2, 3}), (Places{0, 1, 2}));
  EXPECT_EQ(destinations_of(2, 6, {2, 3}), (Places{3, 4, 5}));
  EXPECT_EQ(destinations_of(4, 6, {2, 3}), (Places{0, 1, 2}));
}

// spec/cli-lst.md 4; spec/wire-selftest.md 5.1
TEST(Distribution, ServersGetTheNumberOfConcurrentRequests) {
  EXPECT_EQ(server_buffers(1, 1, {1, 1}, 8), 8U);
  EXPECT_EQ(server_buffers(8, 2, {1, 1}, 8), 32U);  // 8 runs, 2 spans: 4 x 1 x 8
  EXPECT_EQ(server_buffers(8, 2, {4, 1}, 8), 32U);  // 2 runs, 2 spans: 1 x 4 x 8
  EXPECT_EQ(server_buffers(9, 4, {2, 2}, 1), 6U);   // 5 runs, 2 spans: 3 x 2
  EXPECT_EQ(server_buffers(16384, 1, {0x7fffffff, 1}, 1024), 0x7fffffffU);
}

// The formula of the specification, written out: no server gets more requests than the console
// announced to it.
RC_GTEST_PROP(Distribution, NoServerGetsMoreThanItsBuffers, ()) {  // spec/cli-lst.md 4
  const auto clients = *rc::gen::inRange<std::size_t>(1, 40);
  const auto servers = *rc::gen::inRange<std::size_t>(1, 12);
  const Distribution spread{*rc::gen::inRange(1U, 9U),
                            *rc::gen::inRange(1U, static_cast<std::uint32_t>(servers) + 1)};
  RC_PRE(servers % spread.servers == 0);  // otherwise spans overlap
  std::vector<std::uint32_t> at(servers);
  for (std::size_t i = 0; i < clients; ++i) {
    const auto places = destinations_of(i, servers, spread);
    RC_ASSERT(places.size() == spread.servers);
    for (std::size_t k = 0; k < places.size(); ++k) {
      RC_ASSERT(places[k] == ((i / spread.clients) * spread.servers + k) % servers);
      ++at[places[k]];
    }
  }
  for (const std::uint32_t count : at)
    RC_ASSERT(count <= server_buffers(clients, servers, spread, 1));
}

}  // namespace
}  // namespace ulnet::svc::selftest::console
