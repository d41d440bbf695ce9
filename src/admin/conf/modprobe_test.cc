#include "admin/conf/modprobe.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ulnet::conf {
namespace {

std::string shown(const Parsed<std::vector<ModuleParam>>& read) {
  if (!read)
    return std::to_string(read.error().place.line) + ":" +
           std::to_string(read.error().place.column) + " " + read.error().reason;
  std::string text;
  for (const auto& [module, name, value, flag] : *read)
    text += std::string(module) + "." + std::string(name) +
            (flag ? " " : "=<" + std::string(value) + ">");
  return text;
}
std::string file(std::string_view text) {
  const PlainText in(text);
  Problems notes;
  std::string said = shown(read_modprobe(in, notes));
  for (const Problem& note : notes)
    said += " note " + std::to_string(note.place.line) + ": " + note.reason;
  return said;
}
std::string assignments(std::string_view text) {
  const PlainText in(text);
  return shown(read_assignments(in, in.text()));
}

TEST(Modprobe, OptionsOfAllModules) {  // spec/cli-lnetctl.md 10
  EXPECT_EQ(file("alias a b\noptions lnet networks=\"tcp(eth0), tcp1\" accept=all\n"
                 "  options ksocklnd credits=8 # more\ninstall x echo \"\noptionsx y z=1\n#options "
                 "a b=1\n"),
            "lnet.networks=<tcp(eth0), tcp1>lnet.accept=<all>ksocklnd.credits=<8>");
  EXPECT_EQ(file("options lnet \\\n  a=1 \\\n  b='2 \\\n 3'\n"), "lnet.a=<1>lnet.b=<2    3>");
  EXPECT_EQ(file("options lnet a='1\n2' b=3"), "lnet.a=<1\n2>lnet.b=<3>") << "a quote over lines";
  EXPECT_EQ(file("options lnet 'a=\"1 2\" b=\"3\"' c=4"), "lnet.a=<1 2>lnet.b=<3>lnet.c=<4>")
      << "quotes around all of it";
  EXPECT_EQ(file("options lnet\noptions lnet a=\n"), "lnet.a=<>");
  EXPECT_EQ(file(""), "");
}

TEST(Modprobe, Refusals) {  // spec/cli-lnetctl.md 10
  EXPECT_EQ(file("\noptions lnet a=\"1\n"), "2:16 a quote is not closed: '\"1'");
  EXPECT_EQ(file("options lnet a='1'b=2"), "1:19 text behind the quote: ''1'b=2'");
  EXPECT_EQ(file("options lnet a! b=2"), "1:14 'a!' is not NAME=VALUE");
  EXPECT_EQ(file("options lnet =2"), "1:14 '=2' is not NAME=VALUE");
  EXPECT_EQ(file("options lnet 'a'"), "1:15 'a' is not NAME=VALUE");
}

// Case 02 of the field: an error that does not stop a production module does not stop a node.
TEST(Modprobe, OtherModulesAreSkipped) {
  EXPECT_EQ(file("options snd x \"open\noptions i2c a b='c'd\noptions lnet-selftest a=1"),
            "lnet-selftest.a=<1>");
  EXPECT_EQ(file("options lnet auto_down b=2\noptions lnet c"), "lnet.auto_down lnet.b=<2>lnet.c ")
      << "a flag";
  EXPECT_EQ(file("a\noptions\noptions lnet b=1\n"), "lnet.b=<1> note 2: 'options' names no module");
}

TEST(Modprobe, AssignmentsWithoutOptions) {  // spec/cli-lnetctl.md 10
  EXPECT_EQ(assignments("ip2nets='tcp 1.*.*.*' routes = \"a b\""),
            ".ip2nets=<tcp 1.*.*.*>.routes=<a b>");
  EXPECT_EQ(assignments("ip2nets=tcp 1.1.1.1; tcp1 2.2.2.2\n routes=tcp 1@gni"),
            ".ip2nets=<tcp 1.1.1.1; tcp1 2.2.2.2\n >.routes=<tcp 1@gni>");
  EXPECT_EQ(assignments("a=1 b"), ".a=<1 b>");
  EXPECT_EQ(assignments("a b"), "1:1 'a' is not NAME=VALUE");
  EXPECT_TRUE(begins_with_assignment("a ='x'"));
  EXPECT_FALSE(begins_with_assignment("tcp(eth0) 1.1.1.1"));
  EXPECT_TRUE(has_options(PlainText("x\n options lnet a=1")));
  EXPECT_FALSE(has_options(PlainText("x options lnet a=1\n# options")));
  EXPECT_TRUE(is_module("libcfs-x", "libcfs_x"));
  EXPECT_FALSE(is_module("lnet2", "lnet"));
}

// Asserts only that reading ends, without a crash and without a sanitizer's report.
RC_GTEST_PROP(Modprobe, SmokeAnyTextIsReadOrRefused, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("options ", "lnet ", "networks", "=", "\"", "'", "tcp", " ",
                                    "\n", "\\\n", "#", "{", "(", ";"));
  std::string text;
  for (const std::string& word : words) text += word;
  const PlainText in(text);
  Problems notes;
  static_cast<void>(read_modprobe(in, notes));
  static_cast<void>(read_assignments(in, in.text()));
  static_cast<void>(has_options(in));
}

}  // namespace
}  // namespace ulnet::conf
