#include "lnet/lnd/sock/engine/report.h"

#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

TEST(Report, NamesWhoWhereAndWhy) {
  const Endpoint remote{*parse_address("fd99::1"), 1021};
  EXPECT_EQ(to_text({Count::kRefusedBadHello, remote, Nid::any(), "wrong magic"}),
            "[fd99::1]:1021 was refused: its hello is not acceptable: wrong magic");
  EXPECT_EQ(to_text({Count::kPeersDown, remote, *Nid::parse("10.0.0.2@tcp"), "it restarted"}),
            "10.0.0.2@tcp ([fd99::1]:1021) is disconnected: it restarted");
}

TEST(Report, RefusalsAndClosesAreLoggedAboveDebug) {
  for (std::size_t i = 0; i < kCountKinds; ++i) {
    const auto what = static_cast<Count>(i);
    const std::string name = to_string(what);
    const bool ordinary = what == Count::kRefusedRace || what == Count::kRefusedDuplicate ||
                          what == Count::kClosedByPeer || what == Count::kClosedRestarted;
    if (!name.starts_with("refused_") && !name.starts_with("closed_")) continue;
    EXPECT_EQ(severity_of(what) > Severity::kDebug, !ordinary) << name;
  }
}

/// An engine bench that keeps the reports.
struct ReportingBench : EngineBench {
  void report(const Report& report) override { reports.push_back(report); }
  std::vector<Report> reports;
};

TEST(Report, ARefusedPeerIsNamedAsFarAsKnown) {
  ReportingBench bench;
  const Handle conn = bench.accept("192.168.1.66");
  bench.feed(conn, text_bytes("0123456789abcdef"));
  ASSERT_EQ(bench.reports.size(), 2U);
  EXPECT_EQ(bench.reports[0].what, Count::kAccepted);
  EXPECT_EQ(bench.reports[1].what, Count::kRefusedBadRequest);
  EXPECT_EQ(bench.reports[1].remote.address, *parse_address("192.168.1.66"));
  EXPECT_TRUE(bench.reports[1].peer.is_any());

  const Handle open = bench.accepted(bench.hello(wire::ConnType::kControl));
  bench.reports.clear();
  bench.feed(open, Bytes(24));
  std::vector<Count> what;
  for (const Report& report : bench.reports) {
    what.push_back(report.what);
    EXPECT_EQ(report.peer, bench.peer);
  }
  EXPECT_EQ(what, (std::vector{Count::kClosedBadFrame, Count::kClosed, Count::kPeersDown}));
}

TEST(Report, ATakeOverNamesBothAddresses) {
  const Report report{Count::kTakenOver,
                      {*parse_address("10.0.0.9"), 1021},
                      *Nid::parse("10.0.0.2@tcp"),
                      "",
                      parse_address("10.0.0.2")};
  EXPECT_EQ(to_text(report),
            "10.0.0.2@tcp (10.0.0.9:1021) claims a NID that another address had: another "
            "incarnation said hello (the other address is 10.0.0.2)");
}

TEST(Report, InItsGeneralFormSaysTheSame) {
  const Report report{Count::kPeersDown,
                      {*parse_address("10.0.0.9"), 1021},
                      *Nid::parse("10.0.0.2@tcp1"),
                      "it restarted"};
  const lnd::Report general = general_report(report);
  EXPECT_EQ(general.severity, Severity::kInfo);
  EXPECT_EQ(general.topic, Topic::kPeer);
  EXPECT_EQ(general.peer, report.peer);
  EXPECT_EQ(general.key, (RepeatKey{*Nid::parse("10.0.0.9@tcp"), "peers_down"}));
  EXPECT_EQ(general.text.make(), to_text(report));
}

TEST(Report, RepeatsAnotherOfItsKindAndAddress) {
  const auto key = [](Count what, const char* address, std::uint16_t port) {
    return general_report({what, {*parse_address(address), port}}).key;
  };
  const RepeatKey first = key(Count::kRefusedBadHello, "10.0.0.9", 1021);
  EXPECT_EQ(first, key(Count::kRefusedBadHello, "10.0.0.9", 1022));
  EXPECT_NE(first, key(Count::kRefusedBadHello, "10.0.0.8", 1021));
  EXPECT_NE(first, key(Count::kRefusedBadHello, "a00:9::", 1021)) << "the same bytes in IPv6";
  EXPECT_NE(first, key(Count::kRefusedSilent, "10.0.0.9", 1021));
}

TEST(Report, IsAboutMemoryAPeerOrAConnection) {
  const auto topic = [](Count what) { return general_report({.what = what}).topic; };
  EXPECT_EQ(topic(Count::kRefusedNoMemory), Topic::kMemory);
  EXPECT_EQ(topic(Count::kHoldShort), Topic::kMemory);
  EXPECT_EQ(topic(Count::kPeersUp), Topic::kPeer);
  EXPECT_EQ(topic(Count::kClosedSilent), Topic::kConnection);
}

TEST(Report, AHelloThatIsRefusedNamesItsSender) {
  ReportingBench bench;
  bench.accepted(bench.hello(wire::ConnType::kNone));
  EXPECT_EQ(bench.reports.back().what, Count::kRefusedBadHello);
  EXPECT_EQ(bench.reports.back().peer, bench.peer);
}

}  // namespace
}  // namespace ulnet::lnd::sock
