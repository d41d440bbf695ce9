// One of two rails dies in the middle of a transfer: every operation that is lost is reported,
// messages of which no byte was written to a socket go by the other rail, and traffic goes on at
// that rail's rate. spec/multirail.md 4.4, 5, 6; the driver's time-out is (10 - 1) / (2 + 1) = 3 s,
// and it checks every quarter of that.
#include "dying_rail.h"

namespace ulnet::sim {
namespace {

constexpr std::uint64_t kRailRate = 4 << 20;  ///< bytes a second of one interface
constexpr int kAtOnce = 48;  ///< more than the credits of all the peer's NIDs together
constexpr Duration kTransaction = seconds(10);
constexpr Duration kResend = milliseconds(3750);

enum class Side : std::uint8_t { kClient, kServer };

enum class Way : std::uint8_t {
  kLinkDown,  ///< the side sees its link go down
  kDeaf,      ///< ... and what it had sent by then still arrives
  kCable,     ///< a cable breaks somewhere: no node sees it
};

struct Death {
  Op op;
  Side side;
  Way way;
};
std::string name_of_death(const ::testing::TestParamInfo<Death>& info) {
  const Death& death = info.param;
  const char* op = death.op == Op::kGet ? "Get" : death.op == Op::kPutAck ? "PutAck" : "Put";
  static constexpr const char* kWays[] = {"LinkDown", "Deaf", "Cable"};
  return std::string(op) + (death.side == Side::kClient ? "Client" : "Server") +
         kWays[static_cast<std::size_t>(death.way)];
}

class DyingRail : public ::testing::TestWithParam<Death> {
 protected:
  DyingRail() {
    for (const SimNode* node : {&client, &server})
      for (std::size_t i = 0; i < 2; ++i) given.world.wire().set_rate(node->place(i), kRailRate);
  }
  static core::Globals globals() {
    core::Globals globals;
    globals.transaction_timeout = 10;
    return globals;
  }
  SimNode& other() { return GetParam().side == Side::kClient ? server : client; }
  SimNode& side() { return GetParam().side == Side::kClient ? client : server; }
  void set(bool up) {
    Wire& wire = given.world.wire();
    const Place dead = side().place(1);
    const Way way = GetParam().way;
    if (way != Way::kCable) side().set_link(1, up);
    if (way == Way::kLinkDown) return;
    wire.set_up(dead, true);
    for (std::size_t i = 0; i < 2; ++i) {
      wire.cut(other().place(i), dead, !up);
      if (way == Way::kCable) wire.cut(dead, other().place(i), !up);
    }
  }
  /// Operations that succeeded: for PUTs without ACK only their target knows.
  std::uint64_t got_through(const Users& users) const {
    return GetParam().op == Op::kPut ? target.arrived.size() : users.account.completed;
  }
  /// The part of one rail's rate that is used, over the next seconds.
  double rate(const Users& users, Duration time) {
    const std::uint64_t before = got_through(users);
    given.runs_for(time);
    return static_cast<double>((got_through(users) - before) * kOpBytes) /
           (static_cast<double>(kRailRate) * std::chrono::duration<double>(time).count());
  }
  /// The number of operations that began after `then` and failed, or did not succeed.
  std::uint64_t lost_after(const Users& users, std::uint64_t then) const {
    std::uint64_t lost = 0;
    for (std::uint64_t number = then + 1; number <= users.account.begun; ++number)
      if (users.failed.contains(number) ||
          (GetParam().op == Op::kPut && !target.arrived.contains(number)))
        ++lost;
    return lost;
  }

  Cluster given;
  SimNode& client = given.node("client", {rail(1), rail(1, 1)}, globals());
  SimNode& server = given.node("server", {rail(2), rail(2, 1)}, globals());
  Target target{server};
};

TEST_P(DyingRail, EveryOperationIsAccountedForAndTrafficGoesOn) {  // spec/multirail.md 5.3, 6
  const auto& death = GetParam();
  GivenBack& given_back = given.world.add<GivenBack>(client);
  Users users(client, server.id(), death.op, kAtOnce);
  given.runs_for(seconds(2));
  ASSERT_GT(rate(users, seconds(1)), 1.8) << "both rails carry it";
  set(false);
  const bool is_seen = death.way != Way::kCable;
  given.runs_for(is_seen ? kResend : kTransaction);
  const std::uint64_t then = users.account.begun;
  EXPECT_GT(rate(users, seconds(2)), 0.9);
  users.begin_no_more();
  const auto all_ended = [&](World&) { return users.under_way() == 0; };
  EXPECT_TRUE(given.world.run_until(all_ended, {.time = kTransaction + kResend}).reached())
      << users.under_way() << " operations have not ended";
  const Account& account = users.account;
  EXPECT_EQ(account.unreported, 0U);
  // A message of which no byte was written to a socket completes over the other rail. A message
  // that waits too long for a connection is not sent again (5.2); such a wait is the only sign of a
  // broken cable.
  if (is_seen) {
    EXPECT_EQ(given_back.unconnected, 0U);
  }
  EXPECT_EQ(account.reported_by_send, given_back.begun + given_back.unconnected);
  given.runs_for(seconds(1));
  if (is_seen) {
    EXPECT_EQ(lost_after(users, then), 0U);
  }
  set(true);
  given.comes_to_rest();
}

std::vector<Death> all_deaths() {
  std::vector<Death> all;
  for (const Op op : {Op::kGet, Op::kPutAck, Op::kPut})
    for (const Side side : {Side::kClient, Side::kServer})
      for (const Way way : {Way::kLinkDown, Way::kDeaf, Way::kCable})
        all.push_back({op, side, way});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Each, DyingRail, ::testing::ValuesIn(all_deaths()), name_of_death);

}  // namespace
}  // namespace ulnet::sim
