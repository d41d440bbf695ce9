#include "lnet/lnd/sock/engine/conn_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace ulnet::lnd::sock {
namespace {

using wire::ConnType;

char letter(Fit fit) { return fit == Fit::kPreferred ? 'P' : fit == Fit::kFallback ? 'f' : '-'; }
std::string row(std::uint32_t version, ConnType type) {
  std::string cells;
  for (const Cargo cargo : {Cargo::kSmall, Cargo::kBulk, Cargo::kNoop, Cargo::kNoopMayBlock})
    cells += letter(fit(version, type, cargo));
  return cells;
}

// spec/wire-socklnd.md 2.2.2, 5.2, the first table, cell by cell
TEST(ConnChoice, TypesOfVersions3And4) {
  for (const std::uint32_t version : {3U, 4U}) {
    EXPECT_EQ(row(version, ConnType::kControl), "Pf-P");
    EXPECT_EQ(row(version, ConnType::kBulkOut), "fP-f");
    EXPECT_EQ(row(version, ConnType::kBulkIn), "--Pf");
    EXPECT_EQ(row(version, ConnType::kAny), "----");
  }
}

// spec/wire-socklnd.md 5.2, the second table: NOOPs count as small messages
TEST(ConnChoice, TypesOfVersions1And2) {
  for (const std::uint32_t version : {1U, 2U}) {
    EXPECT_EQ(row(version, ConnType::kControl), "PfPP");
    EXPECT_EQ(row(version, ConnType::kBulkOut), "fPff");
    EXPECT_EQ(row(version, ConnType::kBulkIn), "ffff");
    EXPECT_EQ(row(version, ConnType::kAny), "PPPP");
  }
}

// spec/wire-socklnd.md 5.2: the connection with the fewest queued bytes wins, then the least
// recently used one
TEST(ConnChoice, TheLighterConnectionWins) {
  EXPECT_TRUE(lighter({10, 9}, {11, 1}, true));
  EXPECT_FALSE(lighter({11, 1}, {10, 9}, true));
  EXPECT_TRUE(lighter({10, 1}, {10, 2}, true));
  EXPECT_FALSE(lighter({10, 2}, {10, 1}, true));
  // With round_robin=0 the first of equal ones stays the choice (spec/wire-socklnd.md 11).
  EXPECT_FALSE(lighter({10, 1}, {10, 2}, false));
}

}  // namespace
}  // namespace ulnet::lnd::sock
