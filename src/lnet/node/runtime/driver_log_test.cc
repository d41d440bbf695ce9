// The node's log names refused peers and peers that come and go, with one line for each kind and
// address; the counters count them all.
#include "lnet/node/runtime/driver_log.h"

#include <thread>

#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

using lnd::sock::Count;
using lnd::sock::Report;

class LoggingNode : public TwoNodes {
 public:
  void SetUp() override {}
  /// The nodes log their last lines when they are destroyed, so the log must be destroyed after
  /// them.
  void TearDown() override {
    TwoNodes::TearDown();
    a_ = nullptr;
    b_ = nullptr;
  }
  void begin(int level) {
    port_ = free_port();
    address_a_ = own_address(1);
    address_b_ = own_address(2);
    NodeOptions wanted = options();
    wanted.log = &LogLines::keep;
    wanted.log_context = &log;
    wanted.log_level = level;
    wanted.params["accept_timeout"] = "60";  // longer than a busy machine lets a probe wait
    auto node = TwoNodes::start(wanted);
    ASSERT_TRUE(node) << node.error().reason;
    a_ = *std::move(node);
    conf::NiItem ni;
    ni.interface = address_a_;
    ASSERT_TRUE(a_->change(AddNi{kNet, ni}));
    b_ = TwoNodes::start(address_b_);
  }
  /// Sends `words` to node a, and waits until a closes the connection.
  void probe(const std::string& words) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port_)));
    inet_pton(AF_INET, address_a_.c_str(), &in.sin_addr);
    sockaddr generic{};
    std::memcpy(&generic, &in, sizeof in);
    ASSERT_EQ(connect(fd, &generic, sizeof in), 0);
    ASSERT_EQ(send(fd, words.data(), words.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(words.size()));
    char byte = 0;
    EXPECT_TRUE(
        holds([&] { return recv(fd, &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET; }));
    close(fd);
  }
  template <class Condition>
  bool holds(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      if (polled()) a_->progress({}), b_->progress({});
      std::this_thread::yield();
    }
    return true;
  }
  std::uint64_t counted(const std::string& name) {
    for (const DriverCounters& driver : a_->state().drivers)
      for (const auto& [counter, value] : driver.counters)
        if (counter == name) return value;
    return ~0ULL;
  }
  LogLines log;
};
INSTANTIATE_TEST_SUITE_P(Modes, LoggingNode, testing::Values(Mode::kInline, Mode::kShared),
                         mode_name);

TEST_P(LoggingNode, AHostileProbeLeavesALineOfItsKindAndIsCountedEachTime) {
  begin(1);
  for (int i = 0; i < 20; ++i) probe("GET / HTTP/1.1\r\n\r\n");
  const std::string request("\x00\x71\xce\xac\x01\x00\x00\x00", 8);
  const std::string foreign_nid("\x09\x09\x09\x0a\x00\x00\x02\x00", 8);
  for (int i = 0; i < 10; ++i) probe(request + foreign_nid);
  EXPECT_EQ(counted("refused_bad_request"), 20U);
  EXPECT_EQ(counted("refused_not_my_nid"), 10U);
  EXPECT_TRUE(holds([&] { return log.with("wants a NID that is not this node's", 2) != 0; }));
  EXPECT_EQ(log.with("its connection request is not LNet's", 2), 1U);
  EXPECT_EQ(log.with("wants a NID that is not this node's", 2), 1U);
  EXPECT_EQ(log.with("127.0.0.1:", 2), 2U) << "by its address, and nothing else";
  stop_both();
}

TEST_P(LoggingNode, APeerIsNamedWhenItComesAndWhenItGoes) {
  begin(1);
  PingRequest request;
  request.target = a_->get_id(1, false).value();
  request.timeout = std::chrono::seconds(30);
  std::atomic<bool> answered{false};
  std::thread pinging([&] {
    EXPECT_TRUE(b_->ping(request));
    answered = true;
  });
  const std::string nid = b_->get_id(1, false).value().nid.to_string();
  EXPECT_TRUE(holds([&] { return log.with(nid + " (" + address_b_, 1) == 1; }));
  EXPECT_EQ(log.with("is connected", 1), 1U);
  EXPECT_TRUE(holds([&] { return answered.load(); }));
  pinging.join();
  b_->stop(std::chrono::seconds(0));
  EXPECT_TRUE(holds([&] { return log.with("is disconnected: it closed the connection", 1) == 1; }));
  stop_both();
}

TEST_P(LoggingNode, ConnectionsAreLoggedWhereDebugIsWanted) {
  begin(0);
  probe("nonsense");
  EXPECT_TRUE(holds([&] { return log.with("has connected", 0) == 1; }));
  stop_both();
}

TEST_P(LoggingNode, TheLogLevelCanChangeWhileTheNodeRuns) {
  begin(1);
  probe("nonsense");
  a_->set_log_level(0);
  probe("nonsense");
  EXPECT_TRUE(holds([&] { return log.with("has connected", 0) != 0; }));
  EXPECT_EQ(log.with("has connected", 0), 1U) << "the second";
  stop_both();
}

TEST(DriverLog, IsSilentBelowItsLevelAndFlushesAtItsEnd) {
  std::vector<std::string> said;
  Timekeeper keeper;
  {
    DriverLog log(keeper, 2, [&](int, const std::string& line) { said.push_back(line); });
    log.report({Count::kPeersUp, {*lnd::sock::parse_address("10.0.0.9"), 1021}});
    log.report({Count::kTakenOver,
                {*lnd::sock::parse_address("10.0.0.9"), 1021},
                *Nid::parse("10.0.0.2@tcp"),
                "",
                *lnd::sock::parse_address("10.0.0.2")});
  }
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0],
            "10.0.0.2@tcp (10.0.0.9:1021) claims a NID that another address had: another "
            "incarnation said hello (the other address is 10.0.0.2)");
}

class LoggedNotes : public LoggingNode {};
// In inline mode a discovery would move only the bytes of its own node.
INSTANTIATE_TEST_SUITE_P(Modes, LoggedNotes, testing::Values(Mode::kShared), mode_name);

// The core's note about a NID, with the number in its sentence (case 16 of the field).
TEST_P(LoggedNotes, AreOneSentenceAboutTheirNid) {
  begin(1);
  const Nid peer = b_->get_id(1, false).value().nid;
  ASSERT_TRUE(a_->change(AddPeer{.primary = peer, .nids = {*Nid::parse("10.99.1.51@tcp")}}));
  EXPECT_FALSE(a_->discover(peer, false));
  EXPECT_NE(
      log.with(peer.to_string() +
               ": a configured peer advertises other NIDs (1); this node keeps the configured "
               "ones"),
      0U);
}

}  // namespace
}  // namespace ulnet::node
