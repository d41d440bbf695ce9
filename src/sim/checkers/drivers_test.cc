// The checker of the contract between shards and drivers.
#include "sim/checkers/checkers_fixture.h"
#include "sim/checkers/driver_contract.h"

namespace ulnet::sim {
namespace {

using ContractChecker = Lies<DriverContract>;

TEST_F(ContractChecker, SeesASecondSendDone) {
  step(core::Tick{}, {send(kMsg)});
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "");
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "SendDone for what was not sent");
}

TEST_F(ContractChecker, SeesAHeaderWithoutAVerdictOrWithTwo) {
  wire::LnetHeader put = header();
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}};
  step(arrived, {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "");
  step(arrived, {core::DropPayload{ni, {1}, 0}, core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "more than one verdict");
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

TEST_F(ContractChecker, SeesWhatLandsTwice) {
  wire::LnetHeader put = header();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}},
       {core::Land{ni, {1}, kMsg}});
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "");
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "PayloadLanded for what was not landing");
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
  EXPECT_EQ(said(), "Cancel of what was not sent");
}

}  // namespace
}  // namespace ulnet::sim
