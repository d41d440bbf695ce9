// How the core reads a push, or the REPLY to a ping. spec/wire-lnet.md 4, 5.
#include "lnet/core/path/push.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core::test {
namespace {

constexpr std::uint32_t kBoth = wire::kPingNiStatus | wire::kPingMultiRail | wire::kPingDiscovery;

std::vector<std::byte> encoded_info(const std::vector<Nid>& nids, std::uint32_t features = kBoth) {
  wire::PingInfo info;
  info.features = features;
  for (const Nid& nid : nids) info.legacy.push_back({nid, wire::NiStatus::kUp});
  return encode(info);
}
PushReading pushed(const std::vector<std::byte>& bytes, std::size_t landed, int status = 0) {
  return read_push(status, static_cast<std::uint32_t>(bytes.size()), ByteView(bytes).first(landed),
                   Globals{});
}

// spec/multirail.md 4.4.2, 4.4.3, 4.8; spec/wire-lnet.md 4.3, 5
TEST(ReadPing, BothSidesMustWantDiscovery) {
  Globals on, off;
  off.discovery = 0;
  const auto verdict = [](std::uint32_t features, const Globals& globals) {
    return read_ping(encoded_info({tcp(2)}, wire::kPingNiStatus | features), globals).verdict;
  };
  EXPECT_EQ(verdict(kBoth, on), PushVerdict::kLearn);
  EXPECT_EQ(verdict(kBoth, off), PushVerdict::kNoDiscovery);
  EXPECT_EQ(verdict(wire::kPingMultiRail, on), PushVerdict::kNoDiscovery);
  EXPECT_EQ(verdict(wire::kPingDiscovery, on), PushVerdict::kNoDiscovery);
}

TEST(ReadPing, AnAnswerThatWasCutSaysHowMuchThereIs) {  // spec/wire-lnet.md 4.7
  const auto bytes = encoded_info({tcp(2), tcp(3)});
  EXPECT_EQ(read_ping(ByteView(bytes).first(40), Globals{}).needed, bytes.size());
  auto nonsense = bytes;
  nonsense[0] = std::byte{0};
  EXPECT_EQ(read_ping(ByteView(nonsense).first(40), Globals{}).needed, 0U);
}

// spec/multirail.md 4.6; spec/wire-lnet.md 5.4
TEST(ReadPush, OnlyAPushCutByOurBufferNeedsALargerOne) {  // spec/wire-lnet.md 5: rule 4
  const auto bytes = encoded_info({tcp(2), tcp(3)});
  EXPECT_EQ(pushed(bytes, bytes.size()).verdict, PushVerdict::kLearn);
  const PushReading cut = pushed(bytes, 40);
  EXPECT_EQ(cut.verdict, PushVerdict::kPing);
  EXPECT_EQ(cut.needed, bytes.size());
  // A push that its sender truncated needs no larger buffer.
  const std::vector<std::byte> stub(bytes.begin(), bytes.begin() + 40);
  EXPECT_EQ(pushed(stub, 40).needed, 0U);
  auto nonsense = bytes;
  nonsense[0] = std::byte{0};
  EXPECT_EQ(pushed(nonsense, 40).needed, 0U);
  EXPECT_EQ(pushed(bytes, bytes.size(), -EIO).verdict, PushVerdict::kPing);
}

TEST(NidsOf, LeavesOutInvalidNids) {  // spec/wire-lnet.md 4.2
  wire::PingInfo info;
  for (const Nid& nid : {tcp(2), Nid::loopback(), Nid::any(), tcp(3)})
    info.legacy.push_back({nid, wire::NiStatus::kUp});
  EXPECT_THAT(nids_of(info), testing::ElementsAre(tcp(2), tcp(3)));
}

TEST(ReadPush, APushLongerThanItsInfoIsRefused) {  // spec/wire-lnet.md 5: rule 2
  auto bytes = encoded_info({tcp(2), tcp(3)});
  const std::size_t info = bytes.size();
  bytes.resize(info + 8);
  EXPECT_EQ(pushed(bytes, info).verdict, PushVerdict::kPing);
  EXPECT_EQ(pushed(bytes, info).needed, 0U);
}

TEST(DescribeNode, ListsAsManyNisAsFitInOneMessage) {  // spec/wire-lnet.md 4.2
  constexpr std::size_t kMax = (limits::kMtu - 64) / 24;
  for (const std::size_t more : {0, 1}) {
    std::vector<Nid> nids;
    for (std::size_t i = 0; i < kMax + more; ++i)
      nids.push_back(Nid::small({NetType::kTcp, 0}, 0x0a000000U + static_cast<std::uint32_t>(i)));
    NiTable nis;
    const auto config = config_of(nids, 1);
    nis.apply(*config);
    EXPECT_EQ(describe_node(*config, nis).legacy.size(), kMax);
    EXPECT_EQ(describe_node(*config, nis).sequence, 0U) << "the caller knows it";
  }
}

}  // namespace
}  // namespace ulnet::core::test
