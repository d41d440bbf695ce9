// Texts that were recorded at routers under load and at nodes whose router died, compared with the
// core's values in the same states. Source: spec/observed-routing.md 1, 4.3, spec/multirail.md 9.1,
// 9.4.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {
namespace {

using std::chrono::seconds;

std::vector<std::string> lines_of(const std::string& name) {
  std::ifstream file(ULNET_SOURCE_DIR "/tests/data/text/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

/// One sample of a router's state.
struct Sample {
  double at = 0;
  std::string state;  ///< "enabled", ...
  struct Pool {
    int count = 0, credits = 0, min = 0;
  };
  std::map<int, Pool> pools;  ///< by the pages of a buffer
  struct Neighbour {
    int router_credits = 0, credits = 0;
    long queued = 0;
  };
  std::vector<Neighbour> neighbours;  ///< the source of the load, and its sink
};

std::vector<Sample> samples_of(const std::string& name) {
  const std::regex head(R"(-- up=([\d.]+) Routing (\w+) stats: .*)");
  const std::regex pool(R"(pool pages (\d+) count (-?\d+) credits (-?\d+) min (-?\d+))");
  const std::regex peer(R"(peer \S+ max 8 rtr (-?\d+) min -?\d+ tx (-?\d+) min -?\d+ queue (\d+))");
  std::vector<Sample> all;
  std::smatch m;
  for (const std::string& line : lines_of(name)) {
    if (std::regex_match(line, m, head))
      all.push_back({std::stod(m[1]), m[2], {}, {}});
    else if (std::regex_match(line, m, pool))
      all.back().pools[std::stoi(m[1])] = {std::stoi(m[2]), std::stoi(m[3]), std::stoi(m[4])};
    else if (std::regex_match(line, m, peer))
      all.back().neighbours.push_back({std::stoi(m[1]), std::stoi(m[2]), std::stol(m[3])});
  }
  return all;
}

/// A router between a and b with the time-outs of the recordings, whose driver keeps all messages
/// to b: the cable of the sink is out.
struct Loaded : Routed {
  explicit Loaded(const std::array<std::int32_t, 3>& buffers) : Routed(1) {
    r.config->globals.alive_router_check_interval = 10;
    r.config->globals.router_ping_timeout = 5;
    holds_with_buffers(buffers);
    Post any;
    any.ignore = {~0ULL};
    attach(b, sink, nullptr, any);
  }
  void turn_routing_off() {
    r.config->routing.on = false;
    configure(r);
  }
  /// Messages that the router sends itself arrive; the messages that it forwards do not.
  void deliver_its_own() {
    std::vector<Send> all;
    all.swap(r.sends);
    for (const Send& send : all)
      if (send.header.src_nid == tcp(1) || send.header.src_nid == tcp(2, 1))
        r.sends.push_back(send);
      else
        finish_send(r, send, 0);
  }
  void expect(const Sample& sample) {
    SCOPED_TRACE(sample.at);
    deliver_its_own();
    EXPECT_EQ(std::string(to_string(call(r, call::ShowRouting{}).state)), sample.state);
    for (const PoolRow& pool : call(r, call::ShowRouting{}).pools) {
      const Sample::Pool& recorded = sample.pools.at(pool.pages);
      EXPECT_EQ(pool.buffers, recorded.count) << pool.pages;
      EXPECT_EQ(pool.credits, recorded.credits) << pool.pages;
    }
    ASSERT_EQ(sample.neighbours.size(), 2U);
    EXPECT_EQ(peer_at_router(tcp(1)).available_rtr_credits, sample.neighbours[0].router_credits);
    EXPECT_EQ(peer_at_router(tcp(1)).available_tx_credits, sample.neighbours[0].credits);
    EXPECT_EQ(peer_at_router(tcp(2, 1)).available_rtr_credits, sample.neighbours[1].router_credits);
    EXPECT_EQ(peer_at_router(tcp(2, 1)).available_tx_credits, sample.neighbours[1].credits);
    EXPECT_EQ(static_cast<long>(peer_at_router(tcp(2, 1)).tx_q_num_of_buf),
              sample.neighbours[1].queued);
  }

  std::vector<std::byte> source = bytes(1 << 20), sink = bytes(1 << 20);
};

// spec/core-semantics.md 10.3.2
TEST(RouterPoolsExhausted, AMessageWaitsForABufferWithARouterCredit) {
  Loaded p({128, 256, 2});
  p.puts(p.source, 3);
  std::size_t compared = 0;
  for (const Sample& sample : samples_of("router_pools_exhausted.txt")) {
    if (sample.at < 174 || sample.state != "enabled") continue;  // from then on nothing moves
    p.expect(sample);
    for (const PoolRow& pool : p.call(p.r, call::ShowRouting{}).pools)
      if (pool.pages == 256) {
        EXPECT_EQ(pool.min, sample.pools.at(256).min);
      }
    ++compared;
  }
  EXPECT_EQ(compared, 4U);
}

// spec/core-semantics.md 10.3.2
TEST(RouterPoolsExhausted, RoutingThatIsTurnedOffThenKeepsThemUntilPeersHaveNoticed) {
  Loaded p({128, 256, 2});
  p.puts(p.source, 3);
  p.turn_routing_off();
  const auto samples = samples_of("router_pools_exhausted.txt");
  ASSERT_EQ(samples.back().state, "stopping");
  p.expect(samples.back());
  p.tick(seconds(14));
  p.expect(samples.back());
  // At this point the recorded router died.
  p.tick(seconds(2));
  EXPECT_EQ(p.call(p.r, call::ShowRouting{}).state, RoutingState::kDisabled);
}

// spec/multirail.md 9.1
TEST(RoutingOffWithMessagesInBuffers, StopsAfterTheTimeThatPeersNeedAndGivesTheBuffersBack) {
  Loaded p({128, 256, 32});
  p.puts(p.source, 3);
  const auto samples = samples_of("routing_off_with_messages_in_buffers.txt");
  std::size_t stopping = 0, disabled = 0;
  const auto off = std::find_if(samples.begin(), samples.end(),
                                [](const Sample& sample) { return sample.state == "stopping"; });
  ASSERT_GT(off - samples.begin(), 1);
  p.expect(*(off - 1));
  p.turn_routing_off();
  for (auto sample = off; sample != samples.end(); ++sample) {
    if (sample->state == "stopping") {
      ++stopping;
      p.expect(*sample);  // nothing is lost while peers have not noticed
      continue;
    }
    if (disabled++ == 0) {
      p.tick(seconds(16));
      EXPECT_LT(sample->at - off->at, 20) << "the recorded router took hardly longer";
    }
    const call::ShowRouting shown = p.call(p.r, call::ShowRouting{});
    EXPECT_EQ(std::string(to_string(shown.state)), sample->state);
    for (const PoolRow& pool : shown.pools)
      EXPECT_EQ(pool.buffers, sample->pools.at(pool.pages).count);
  }
  EXPECT_GE(stopping, 8U);
  EXPECT_GE(disabled, 8U);
  // The recorded router kept the messages and their credits; here the messages end.
  p.deliver_its_own();
  for (const Send& send : std::vector<Send>(std::exchange(p.r.sends, {})))
    p.finish_send(p.r, send, -ECANCELED);
  EXPECT_EQ(p.peer_at_router(tcp(1)).available_rtr_credits, 8);
  EXPECT_EQ(p.peer_at_router(tcp(2, 1)).available_tx_credits, 8);
  EXPECT_EQ(p.dropped(p.r, DropReason::kRoutingOff), 3U);
}

// ---- Two routers, one of which dies under load

struct Failover {
  const char* name;
  std::int32_t transaction_timeout;
};
std::ostream& operator<<(std::ostream& out, const Failover& failover) {
  return out << failover.name;
}

class TwoRoutersFailover : public ::testing::TestWithParam<Failover> {};

/// The time from when R1 was killed, as node A recorded it, to the first sample in which A's route
/// through R1 was down.
double recorded_time_to_notice(const std::string& name) {
  const std::regex killed(R"((?:R1 unplugged and killed at A|kill g3) up=([\d.]+).*)");
  const std::regex down(R"(up=([\d.]+) (?:routes: )?10\.99\.0\.6@tcp=up 10\.99\.0\.4@tcp=down .*)");
  std::optional<double> kill;
  std::smatch m;
  for (const std::string& line : lines_of(name)) {
    if (std::regex_match(line, m, killed)) kill = std::stod(m[1]);
    if (kill && std::regex_match(line, m, down)) return std::stod(m[1]) - *kill;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST_P(TwoRoutersFailover, ADeadRouterIsNoticedSoonerThanRecorded) {  // spec/multirail.md 9.4
  const double recorded = recorded_time_to_notice(GetParam().name);
  Routed p;
  p.a.config->globals.alive_router_check_interval = 10;
  p.a.config->globals.router_ping_timeout = 5;
  p.a.config->globals.transaction_timeout = GetParam().transaction_timeout;
  p.configure(p.a);
  p.tick(seconds(1));
  const auto up = [&] { return p.call(p.a, call::ShowRoutes{}).routes.at(0).up(); };
  const auto seconds_until = [&](bool state) {
    int passed = 0;
    for (; up() != state && passed < 300; ++passed) p.tick(seconds(1));
    return passed;
  };
  ASSERT_TRUE(up());
  p.r.hold_sends = true;  // R1 is dead: no message comes from it, and the driver waits for 50 s
  const int noticed = seconds_until(false);
  EXPECT_LE(noticed, 17) << "interval and time-out, whatever the transaction's is, and ticks";
  EXPECT_LT(noticed, recorded);
  p.tick(seconds(60));
  EXPECT_FALSE(up());
  p.r.hold_sends = false;
  p.r.sends.clear();
  EXPECT_LE(seconds_until(true), 11) << "the next check; recorded were 8 s, and 120 s";
}

INSTANTIATE_TEST_SUITE_P(Recorded, TwoRoutersFailover,
                         ::testing::Values(Failover{"two_routers_failover_default_timeouts.txt",
                                                    150},
                                           Failover{"two_routers_failover_tt10.txt", 10}));

}  // namespace
}  // namespace ulnet::core::test
