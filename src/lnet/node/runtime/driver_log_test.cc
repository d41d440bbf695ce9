// The node's log names refused peers and peers that come and go, with one line for each kind and
// address; the counters count them all.
#include "lnet/node/runtime/driver_log.h"

#include <thread>

#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

using lnd::Severity;

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

/// The reports of a driver without addresses. It counts the texts that are made.
struct Trouble {
  const char* what = "";
  std::atomic<int>* texts = nullptr;
};
std::string to_text(const Trouble& trouble) {
  ++*trouble.texts;
  return std::string("7@kfi ") + trouble.what;
}
lnd::Report report_of(const Trouble& trouble, Severity severity) {
  const Nid peer = *Nid::parse("7@kfi");
  return {.severity = severity,
          .topic = lnd::Topic::kConnection,
          .peer = peer,
          .key = {peer, trouble.what},
          .text = lnd::ReportText(trouble)};
}

struct LogOfTrouble : testing::Test {
  /// Reports with a log that ends thereafter.
  void report(int level, NodeEvents* events,
              const std::vector<std::pair<const char*, Severity>>& reports) {
    Timekeeper keeper;
    DriverLog log(
        keeper, level, [&](int, const std::string& line) { said.push_back(line); }, events);
    for (const auto& [what, severity] : reports) log.report(report_of({what, &texts}, severity));
  }
  std::vector<std::string> said;
  std::atomic<int> texts{0};
};

TEST_F(LogOfTrouble, IsSilentBelowItsLevelAndFlushesAtItsEnd) {
  report(2, nullptr, {{"is connected", Severity::kInfo}, {"is broken", Severity::kWarning}});
  EXPECT_EQ(said, std::vector<std::string>{"7@kfi is broken"});
}

TEST_F(LogOfTrouble, MakesNoTextThatNobodyReads) {
  report(1, nullptr,
         {{"is polled", Severity::kDebug},
          {"is broken", Severity::kWarning},
          {"is broken", Severity::kWarning},
          {"is broken", Severity::kWarning}});
  EXPECT_EQ(said, std::vector<std::string>{"7@kfi is broken"});
  EXPECT_EQ(texts, 1);
}

TEST_F(LogOfTrouble, EventsHaveAllReportsButThoseForDebugging) {
  NodeEvents events;
  report(3, &events, {{"is polled", Severity::kDebug}, {"is broken", Severity::kWarning}});
  EXPECT_TRUE(said.empty());
  const auto read = events.read(0, EventTypes::all()).events;
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].type, NodeEvent::Type::kConnection);
  EXPECT_EQ(read[0].level, 2);
  EXPECT_EQ(read[0].nid, *Nid::parse("7@kfi"));
  EXPECT_EQ(read[0].text, "7@kfi is broken");
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
