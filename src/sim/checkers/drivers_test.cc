// The checker of the contract between shards and drivers.
#include <array>

#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

using ContractChecker = Lies<driver_contract_checker>;

TEST_F(ContractChecker, SeesASecondSendDone) {
  step(core::Tick{}, {send(kMsg)});
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "");
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "SendDone for a message that was not sent");
}

TEST_F(ContractChecker, SeesAHeaderWithoutAVerdictOrWithTwo) {
  wire::LnetHeader put = header();
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}};
  step(arrived, {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "");
  step(arrived, {core::DropPayload{ni, {1}, 0}, core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "more than one verdict");
}

/// A PUT of 8 bytes that arrives with its payload, and the step that accepts it.
struct CopyChecker : ContractChecker {
  void take(bool whole, ByteView from, std::size_t to_length) {
    wire::LnetHeader put = header();
    put.payload_length = 8;
    step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, payload, whole},
         {core::CopyPayload{from, ByteSpan(to).first(to_length)}, core::DropPayload{ni, {1}, 8}});
  }
  std::array<std::byte, 8> payload{}, other{};
  std::array<std::byte, 9> to{};
};

TEST_F(CopyChecker, IsSilentAboutACopyOfArrivedBytes) {
  take(true, payload, 8);
  EXPECT_EQ(said(), "");
}
TEST_F(CopyChecker, SeesACopyOfMissingBytes) {
  take(false, payload, 8);
  EXPECT_EQ(said(), "CopyPayload of a payload that has not come");
}
TEST_F(CopyChecker, SeesACopyOfSomethingElse) {
  take(true, other, 8);
  EXPECT_EQ(said(), "CopyPayload of something else");
}
TEST_F(CopyChecker, SeesACopyOfMoreThanThereIs) {
  take(true, ByteView(to), 9);
  EXPECT_EQ(said(), "CopyPayload of more than there is");
}
TEST_F(CopyChecker, SeesACopyAfterItsEvent) {
  wire::LnetHeader put = header();
  put.payload_length = 8;
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, payload, true};
  step(arrived, {post({5}, EventType::kPut, 1), core::CopyPayload{payload, ByteSpan(to).first(8)},
                 core::DropPayload{ni, {1}, 8}});
  EXPECT_EQ(said(), "CopyPayload of a payload that was reported already");
}
TEST_F(CopyChecker, SeesACopyWhoseMessageTheDriverKeeps) {
  wire::LnetHeader put = header();
  put.payload_length = 8;
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, payload, true};
  step(arrived, {core::CopyPayload{payload, ByteSpan(to).first(8)}, core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "CopyPayload without its DropPayload");
}
TEST_F(CopyChecker, SeesACopyOfTwoLengths) {
  take(true, payload, 7);
  EXPECT_EQ(said(), "CopyPayload of two lengths");
}

TEST_F(ContractChecker, SeesAHeaderWithoutAVerdict) {
  wire::LnetHeader put = header();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}});
  EXPECT_EQ(said(), "a header without a verdict");
}

TEST_F(ContractChecker, SeesADeadTicket) {
  step(core::Tick{}, {core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "Land of a dead ticket");
}

TEST_F(ContractChecker, SeesASecondLanding) {
  wire::LnetHeader put = header();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}},
       {core::Land{ni, {1}, kMsg}});
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "");
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "PayloadLanded for a message that was not landing");
}

TEST_F(ContractChecker, SeesAnNiThatIsNotDrained) {
  step(core::Tick{}, {send(kMsg), core::Drained{ni}});
  EXPECT_EQ(said(), "Drained with messages in flight");
}

TEST_F(ContractChecker, SeesASendWithoutAnEnd) {
  step(core::Tick{}, {send(kMsg)});
  ASSERT_TRUE(world.run_for(hours(1)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "a Send whose time is over did not end");
}

TEST_F(ContractChecker, SeesACancelOfNothing) {
  step(core::Tick{}, {core::Cancel{ni, {tcp(2), Pid::lustre()}, kMsg}});
  EXPECT_EQ(said(), "Cancel of a message that was not sent");
}

/// A message waits in a router. A Send to its neighbour fails because their connection dies, so the
/// message goes on, while the driver reports that it has lost the message.
struct CrossingChecker : ContractChecker {
  CrossingChecker() {
    step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}},
         {core::HoldPayload{ni, {1}, kMsg, core::Hold::kDefer}});
    step(core::Tick{}, {send({41, 1})});
    step(core::SendDone{{41, 1}, -ETIMEDOUT, core::Health::kNetworkTimeout},
         {core::DropPayload{ni, {1}, 0}});
  }
  wire::LnetHeader put = header();
};

TEST_F(CrossingChecker, KnowsAPayloadLandedThatCrossesADropPayload) {
  step(core::PayloadLanded{kMsg, -ETIMEDOUT, core::Health::kNetworkTimeout});
  EXPECT_EQ(said(), "");
}
TEST_F(CrossingChecker, SeesASecondOne) {
  step(core::PayloadLanded{kMsg, -ETIMEDOUT, core::Health::kNetworkTimeout});
  step(core::PayloadLanded{kMsg, -ETIMEDOUT, core::Health::kNetworkTimeout});
  EXPECT_EQ(said(), "PayloadLanded for a message that was not landing");
}
TEST_F(CrossingChecker, SeesOneWithoutAnError) {
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "PayloadLanded for a message that was not landing");
}
TEST_F(CrossingChecker, SeesOneAfterTheDriverHasCarriedOutTheDropPayload) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  step(core::PayloadLanded{kMsg, -ETIMEDOUT, core::Health::kNetworkTimeout});
  EXPECT_EQ(said(), "PayloadLanded for a message that was not landing");
}

}  // namespace
}  // namespace ulnet::sim
