// Lists that are made while they are sent: in small pieces, within the memory that they may keep.
#include "admin/server/pieces.h"

#include <algorithm>

#include "admin/http/limits.h"
#include "admin/server/endpoints_fixture.h"
#include "admin/server/limits.h"

namespace ulnet::node::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLists[] = {"/v1/peer",       "/v1/route",       "/v1/recovery",
                                  "/v1/file/peers", "/v1/file/routes", "/v1/file/routers"};

TEST(PiecesTest, GoOnAsTheyFillAndEndWhenNobodyListens) {
  std::vector<std::size_t> sizes;
  Pieces pieces([&](std::string_view piece) {
    sizes.push_back(piece.size());
    return sizes.size() < 2;
  });
  const std::string half(http::limits::kPieceBytes / 2, 'x');
  EXPECT_TRUE(pieces.add(half));
  EXPECT_TRUE(pieces.add(half));
  EXPECT_THAT(sizes, ElementsAre(http::limits::kPieceBytes));
  EXPECT_TRUE(pieces.add(half));
  EXPECT_FALSE(pieces.add(half)) << "the client has gone";
  EXPECT_FALSE(pieces.add(half));
  pieces.finish();
  EXPECT_EQ(sizes.size(), 2U);
}

TEST_F(Endpoints, APieceIsSmallHoweverManyPeersThereAre) {
  core::PeerShow peer;
  peer.nis.resize(129);  // as many as a peer can have
  node().peers.assign(100, peer);
  std::size_t largest = 0, all = 0;
  Request request{.method = "GET", .path = "/v1/peer"};
  request.caller.access = Access::kRead;
  const Reply reply = answer(context_, request);
  ASSERT_TRUE(reply.make);
  EXPECT_EQ(node().budget.used(MemoryPart::kControl), limits::kPiecesBytes);
  Pieces pieces([&](std::string_view piece) {
    largest = std::max(largest, piece.size());
    all += piece.size();
    return true;
  });
  reply.make(pieces);
  pieces.finish();
  EXPECT_GT(all, 10U << 20);
  EXPECT_LT(largest, 2 * http::limits::kPieceBytes);
}

TEST_F(Endpoints, OnePeerIsShownByAnyOfItsNids) {
  node().peers.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    node().peers[i].primary = nid_of(i == 0 ? "0@lo" : i == 1 ? "10.0.0.2@tcp" : "10.0.0.3@tcp");
    node().peers[i].nis.emplace_back().nid = node().peers[i].primary;
  }
  node().peers[1].nis.emplace_back().nid = nid_of("10.0.1.2@tcp");
  EXPECT_EQ(tree(ask("GET", "/v1/peer"))["peer"].size(), 2U) << "0@lo is not shown";
  const auto one = [&](const char* nid) {
    query_ = {{"nid", nid}};
    return ask("GET", "/v1/peer");
  };
  const Json found = tree(one("10.0.1.2@tcp"))["peer"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["primary nid"], "10.0.0.2@tcp");
  EXPECT_EQ(found[0]["peer ni"].size(), 2U);
  for (const char* nid : {"10.0.0.9@tcp", "0@lo", "*"})
    expect_error(one(nid), 404, -2, "cannot find peer");
  expect_error(one("nobody"), 400, -22, "invalid NID");
}

TEST_F(Endpoints, ListsWaitForTheirShareOfTheMemory) {
  node().budget.set(0);
  for (const char* path : kLists) {
    const Reply refused = ask("GET", path);
    expect_error(refused, 503, -12, "ask again");
    EXPECT_EQ(refused.headers, (http::Headers{{"Retry-After", "1"}})) << path;
  }
  EXPECT_EQ(std::ranges::count_if(logged_, [](const auto& line) { return line[0] == '2'; }), 1)
      << "logged once";
  EXPECT_EQ(ask("GET", "/v1/net").status, 200) << "short answers still come";
  node().budget.set(MemoryBudget::kUnlimited);
  for (const char* path : kLists) EXPECT_EQ(ask("GET", path).status, 200) << path;
  EXPECT_EQ(node().budget.used(MemoryPart::kControl), 0U);
}

TEST_F(Endpoints, AllListsTogetherKeepLittle) {
  node().routes_shown.routes.resize(50'000);
  std::vector<Reply> under_way;
  Request request{.method = "GET", .path = "/v1/route"};
  request.caller.access = Access::kRead;
  do under_way.push_back(answer(context_, request));
  while (under_way.back().status == 200);
  EXPECT_EQ(under_way.back().status, 503);
  EXPECT_GT(under_way.size(), 2U);
  EXPECT_LE(node().budget.used(MemoryPart::kControl), limits::kListsBytes);
  under_way.clear();
  EXPECT_EQ(ask("GET", "/v1/route").status, 200);
}

}  // namespace
}  // namespace ulnet::node::control
