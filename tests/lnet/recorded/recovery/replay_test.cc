// Recordings of a rail whose cable is out, replayed against recovery: the pings that production
// sent over the rail, and the intervals between them.
#include "tests/lnet/recorded/discovery/replay.h"

#include <gmock/gmock.h>

#include <cmath>

#include "lnet/core/flow/recovery_fixture.h"

namespace ulnet::capture {
namespace {

using core::test::Cable;
using core::test::milliseconds;
using core::test::seconds;
using core::test::TwoRails;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

/// Recovery's tick in these recordings, in seconds: a second and the delay of a loaded machine.
constexpr double kRecordedTick = 1.04;

struct Pings {
  std::vector<wire::GetPart> gets;
  std::vector<std::int64_t> gaps;  ///< ticks from one ping to the next
};

/// The GETs from 10.99.1.1 to 10.99.1.2, whose rail had no cable at first.
Pings recorded(const std::string& name) {
  Pings pings;
  const Nid to = Nid::parse("10.99.1.2@tcp1").value();
  double before = 0;
  for (const Recorded& message : messages_of(name)) {
    const auto* get = std::get_if<wire::GetPart>(&message.header.part);
    if (get == nullptr || message.header.dest_nid != to) continue;
    const double at = std::chrono::duration<double>(message.at).count();
    if (!pings.gets.empty()) pings.gaps.push_back(std::llround((at - before) / kRecordedTick));
    pings.gets.push_back(*get);
    before = at;
  }
  return pings;
}

/// The pings that were sent after the cable was in again: a recording has only those.
Pings played(const TwoRails& p, std::int64_t cable_in) {
  Pings pings;
  for (std::size_t i = 0; i < p.pings.size(); ++i) {
    if (p.pings[i] < cable_in) continue;
    if (!pings.gets.empty()) pings.gaps.push_back(p.pings[i] - p.pings[i - 1]);
    pings.gets.push_back(p.gets[i]);
  }
  return pings;
}

void expect_as_recorded(const Pings& played, const std::string& name) {
  const Pings pings = recorded(name);
  EXPECT_THAT(played.gaps, ElementsAreArray(pings.gaps));
  ASSERT_THAT(played.gets, SizeIs(pings.gets.size()));
  for (std::size_t i = 0; i < pings.gets.size(); ++i) {
    wire::GetPart same_handle = played.gets[i];
    same_handle.return_wmd = pings.gets[i].return_wmd;
    EXPECT_EQ(same_handle, pings.gets[i]) << i;
  }
}

// spec/multirail.md 7; spec/observed.md 1.1, 1.5
TEST(ReplayR01, APeerNiWhoseCableIsUnpluggedAndPlugged) {
  TwoRails p;
  p.loses_its_cable();
  p.run_to(seconds(779));
  p.cable = Cable::kIn;
  p.run_to(seconds(830));
  expect_as_recorded(played(p, 779), "r01_recovery_pings_peer_ni");
  EXPECT_EQ(p.far2().health_value, 1000);
}

// spec/multirail.md 7; spec/observed.md 1.8
TEST(ReplayR02, ARailThatIsDeadBeforeThereIsAConnection) {
  TwoRails p;
  p.has_no_cable();
  p.run_to(milliseconds(1'184'700));
  p.cable = Cable::kIn;
  p.run_to(seconds(1230));
  expect_as_recorded(played(p, 1185), "r02_rail_unplugged_before_connect");
  EXPECT_EQ(p.far2().health_value, 1000);
}

}  // namespace
}  // namespace ulnet::capture
