#include "admin/client/nid_words.h"

#include <gtest/gtest.h>

namespace ulnet::ctl {
namespace {

/// A resolver that knows "oss1" and, by IPv6 only, "mds". With `strict` any other name fails the
/// test.
HostResolver names(bool strict = false) {
  return [strict](const std::string& name) -> std::optional<Nid> {
    if (name == "oss1" || name == "oss1.example.org") return Nid::parse("10.0.0.7@tcp").value();
    if (name == "mds") return Nid::parse("fd99::7@tcp").value();
    if (strict) ADD_FAILURE() << "asked for " << name;
    return std::nullopt;
  };
}

std::string shown(std::vector<std::string> words, bool strict = false) {
  const auto nids = nids_of_words(words, 16, names(strict));
  if (!nids) return nids.error().reason;
  std::string text;
  for (const Nid& nid : *nids) text += (text.empty() ? "" : " ") + nid.to_string();
  return text;
}

constexpr const char* kInvalid = "\"Unable to parse nidlist: invalid NID in nidstr\"";
constexpr const char* kNothing = "\"Unable to parse nidlist: no valid NIDs in string\"";

TEST(NidWords, NidsListsAndPatterns) {  // spec/cli-lnetctl.md 3.10
  EXPECT_EQ(shown({"10.0.0.1@tcp"}), "10.0.0.1@tcp");
  EXPECT_EQ(shown({"10.0.0.1,10.0.0.2@tcp1", "fd99::1@tcp", "0@lo"}),
            "10.0.0.1@tcp 10.0.0.2@tcp1 fd99::1@tcp 0@lo");
  EXPECT_EQ(shown({"10.0.0.[1-3]@tcp,7@gni"}), "10.0.0.1@tcp 10.0.0.2@tcp 10.0.0.3@tcp 7@gni");
}

TEST(NidWords, ABadNidIsExplained) {
  const auto hint = [](const char* word) { return hint_of_nids({{std::string(word)}}); };
  EXPECT_EQ(hint("x@tpc"), "'tpc' in 'x@tpc' is not a net: nets are named tcp, tcp1 and so on");
  EXPECT_EQ(hint("10.0.0.1@tcp,10.0.0.9"),
            "'10.0.0.9' has no net: write '10.0.0.9@tcp' for net tcp");
  EXPECT_EQ(hint("10.0.0.300@tcp"), "");
  EXPECT_EQ(hint(""), "");
}

TEST(NidWords, NamesOfHosts) {  // spec/cli-lnetctl.md 3.10
  EXPECT_EQ(shown({"oss1@tcp3", "mds@tcp", "oss1.example.org@o2ib"}),
            "10.0.0.7@tcp3 fd99::7@tcp 10.0.0.7@o2ib");
  EXPECT_EQ(shown({"oss1"}), "10.0.0.7@tcp");
  EXPECT_EQ(shown({"mds@gip"}), kInvalid) << "that net has IPv4 addresses only";
  EXPECT_EQ(shown({"oss1@gni"}, true), kInvalid) << "a name does not give a number either";
}

TEST(NidWords, BadNidsAreNotRequested) {
  for (const char* mistyped : {"10.99.0.300@tcp", "999-10.99.0.2@tcp", "12345-10.99.0.2@tcp",
                               "oss1@foo", "10.0.0@tcp", "@tcp", "*@tcp", "10.0.0.[3-1]@tcp"}) {
    EXPECT_EQ(shown({mistyped}, true), kInvalid) << mistyped;
  }
  EXPECT_EQ(shown({"bogus"}), kNothing);
  EXPECT_EQ(shown({""}), kNothing);
  EXPECT_EQ(shown({"*"}, true), kNothing);
  EXPECT_EQ(shown({"10.0.0.[1-3@tcp"}, true), kInvalid);
}

TEST(NidWords, ABackwardRangeIsExplained) {  // spec/cli-lnetctl.md 3.8
  const auto refused = [](std::vector<std::string> words) { return peer_nids(words).error(); };
  const Error backwards = refused({"10.0.0.1@tcp,10.0.0.[3-1]@tcp"});
  EXPECT_EQ(backwards.code, -ERANGE);
  EXPECT_EQ(backwards.reason, "\"Unable to parse nidlist: range is wrong order\"");
  EXPECT_EQ(refused({"10.0.0.300@tcp"}).reason, kInvalid);
  EXPECT_EQ(refused({"oss1"}).reason, kNothing) << "no names of hosts";
  EXPECT_EQ(unreadable_range(std::vector<std::string>{"10.0.0.1@tcp", "10.0.0.[3-1]@tcp1,bogus"}),
            "10.0.0.[3-1]");
  EXPECT_EQ(unreadable_range(std::vector<std::string>{"bogus"}), "bogus");
  EXPECT_EQ(unreadable_range(std::vector<std::string>{"10.0.0.[1-3]@tcp"}), "");
}

TEST(NidWords, AnAddressWithoutANetIsRefusedWhereItMustHaveOne) {  // spec/cli-lnetctl.md 3.11
  const auto checked = [](std::vector<std::string> words) {
    const auto named = check_nets_named(words);
    return named ? std::string() : named.error().reason;
  };
  EXPECT_EQ(checked({"10.0.0.1@tcp,10.0.0.[1-3]@tcp1", "oss1", "oss1@tcp2"}), "");
  EXPECT_EQ(checked({"10.0.0.1@tcp,10.0.0.2"}), kNothing);
  EXPECT_EQ(checked({"10.0.0.[1-2]"}), kNothing);
}

TEST(NidWords, NotMoreThanTheLimit) {
  EXPECT_EQ(
      nids_of_words(std::vector<std::string>{"10.0.[0-99].[0-99]@tcp"}, 16, names()).error().code,
      -E2BIG);
  EXPECT_EQ(
      nids_of_words(std::vector<std::string>{"10.0.0.[0-9]@tcp", "10.0.1.[0-9]@tcp"}, 16, names())
          .error()
          .code,
      -E2BIG);
}

}  // namespace
}  // namespace ulnet::ctl
