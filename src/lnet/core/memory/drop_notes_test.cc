#include "lnet/core/memory/drop_notes.h"

#include <gtest/gtest.h>

#include "lnet/core/contract/nids_fixture.h"

namespace ulnet::core::test {
namespace {

constexpr const char* kKind = "one";
constexpr const char* kOtherKind = "other";

TEST(DropNotes, EachKindAndPeerOnceAMinute) {
  DropNotes notes;
  Instant now{};
  EXPECT_TRUE(notes.admit(kKind, tcp(1), now));
  EXPECT_FALSE(notes.admit(kKind, tcp(1), now + DropNotes::kQuiet - Duration(1)));
  EXPECT_TRUE(notes.admit(kOtherKind, tcp(1), now));
  EXPECT_TRUE(notes.admit(kKind, tcp(2), now));
  now += DropNotes::kQuiet;
  EXPECT_TRUE(notes.admit(kKind, tcp(1), now));
  EXPECT_FALSE(notes.admit(kKind, tcp(1), now));
}

TEST(DropNotes, InventedNidsDoNotFloodTheLog) {
  DropNotes notes;
  Instant now{};
  std::size_t noted = 0;
  for (std::uint16_t net = 0; net < 1000; ++net) noted += notes.admit(kKind, tcp(1, net), now);
  EXPECT_EQ(noted, DropNotes::kRemembered);
  now += DropNotes::kQuiet;
  EXPECT_TRUE(notes.admit(kKind, tcp(2), now)) << "there is space again";
}

}  // namespace
}  // namespace ulnet::core::test
