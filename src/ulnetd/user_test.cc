// The user of --user; tests/admin/live/privileges_test.py shows that the rights are gone.
#include "ulnetd/user.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace ulnet::tools {
namespace {

using testing::HasSubstr;

std::string refused(const std::string& text) {
  const auto found = find_user(text);
  EXPECT_FALSE(found) << text;
  return found ? "" : found.error().reason;
}

TEST(FindUser, TakesNamesAndNumbers) {
  const auto named = find_user("nobody");
  if (!named) GTEST_SKIP() << "this system has no user nobody";
  EXPECT_EQ(named->entry, "nobody");
  const auto numbered = find_user(std::to_string(named->uid));
  ASSERT_TRUE(numbered) << numbered.error().reason;
  EXPECT_EQ(numbered->entry, "nobody") << "with all groups of that user";
  EXPECT_EQ(numbered->gid, named->gid);
  const auto group = find_user("nobody:4711");
  ASSERT_TRUE(group) << group.error().reason;
  EXPECT_EQ(group->uid, named->uid);
  EXPECT_EQ(group->gid, 4711U);
}

TEST(FindUser, ANumberThatTheSystemDoesNotKnowNeedsAGroup) {
  const auto found = find_user("3999999999:3999999998");
  ASSERT_TRUE(found) << found.error().reason;
  EXPECT_EQ(found->entry, "");
  EXPECT_EQ(found->text, "3999999999 (uid 3999999999, gid 3999999998)");
  EXPECT_THAT(refused("3999999999"), HasSubstr("say its group too, as 3999999999:GROUP"));
}

TEST(FindUser, RefusesBadUsers) {
  EXPECT_EQ(refused("no-such-user"), "there is no user 'no-such-user'");
  EXPECT_EQ(refused(""), "there is no user ''");
  EXPECT_EQ(refused("4294967295:1"), "there is no user '4294967295'");
  EXPECT_EQ(refused("-1:1"), "there is no user '-1'");
  EXPECT_EQ(refused("3999999999:no-such-group"), "there is no group 'no-such-group'");
  EXPECT_EQ(refused("3999999999:"), "there is no group ''");
  EXPECT_EQ(refused("0:1"), "'0' is root");
}

TEST(BecomeUser, TheCurrentUserIsAccepted) {
  const User self{::geteuid(), ::getegid(), "", "oneself"};
  EXPECT_TRUE(become(self));
}

TEST(BecomeUser, OnlyRootMayBecomeAnother) {
  if (::geteuid() == 0) GTEST_SKIP() << "this is root";
  const auto became = become({3999999999, 3999999998, "", "another"});
  ASSERT_FALSE(became);
  EXPECT_EQ(became.error().code, -EPERM);
  EXPECT_THAT(became.error().reason, HasSubstr("only root may become another user"));
}

}  // namespace
}  // namespace ulnet::tools
