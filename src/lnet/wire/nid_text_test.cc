// Text forms of nets, NIDs and process ids: spec/wire-lnet.md 1.1, 1.5, 1.6.
#include "lnet/wire/generators_fixture.h"

namespace ulnet {
namespace {

constexpr const char* kNames[] = {"lo",  "tcp", "o2ib",  "gni", "gip", "ptlf",
                                  "kfi", "efa", "bxi3f", "mpi", "up",  "shm"};

// spec/wire-lnet.md 1.1
TEST(NetText, EveryTypeHasItsNumberAndName) {
  constexpr unsigned kNumbers[] = {9, 2, 5, 13, 14, 15, 16, 18, 19, 128, 129, 130};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    SCOPED_TRACE(kNames[i]);
    const NetId net = NetId::parse(kNames[i]).value();
    EXPECT_EQ(static_cast<unsigned>(net.type), kNumbers[i]);
    EXPECT_EQ(net.num, 0);
    EXPECT_EQ(net.value(), kNumbers[i] << 16);
    EXPECT_EQ(net.to_string(), kNames[i]);
  }
}

// spec/wire-lnet.md 1.1, 1.5
TEST(NetText, TheNumberZeroIsNotPrinted) {
  EXPECT_EQ(NetId::parse("tcp0").value(), NetId::parse("tcp").value());
  EXPECT_EQ(NetId::parse("tcp0").value().to_string(), "tcp");
  EXPECT_EQ(NetId::parse("o2ib65535").value().to_string(), "o2ib65535");
  EXPECT_EQ(NetId::parse("bxi3f7").value(), (NetId{NetType::kBxi3f, 7}));
}

// spec/wire-lnet.md 1.5
TEST(NetText, ATypeWithoutNamePrintsItsNumbers) {
  EXPECT_EQ((NetId{NetType{17}, 2}).to_string(), "<17:2>");
  EXPECT_EQ(NetId::any().to_string(), "<?>");
}

// spec/wire-lnet.md 1.5
TEST(NetText, BadNetsAreRefusedWithTheReason) {
  for (const char* text :
       {"", "t", "foo", "tcp1x", "tcp-1", "tcp+1", "tcp 1", "tcp65536", "tcp99999999999", "TCP",
        "lo0", "lo1", "tcp[1]", "<17:2>", "1tcp", "tcpip", "tcp\n"}) {
    SCOPED_TRACE(text);
    const auto net = NetId::parse(text);
    ASSERT_FALSE(net);
    EXPECT_EQ(net.error().code, -EINVAL);
    EXPECT_FALSE(net.error().reason.empty());
  }
}

TEST(NidText, PrintsWhatItParses) {  // spec/core-semantics.md 1.1; spec/wire-lnet.md 1.5
  for (const char* text :
       {"192.168.1.10@tcp", "192.168.1.10@tcp3", "10.0.0.1@o2ib", "0.0.0.0@efa2", "1.2.3.4@gip",
        "2001:db8::1@tcp", "fd99::1@o2ib1", "::1@efa", "::ffff:10.0.0.1@tcp", "7@kfi", "0@gni",
        "4294967295@ptlf", "22@bxi3f3", "0@lo", "5@mpi", "6@up1", "7@shm"}) {
    SCOPED_TRACE(text);
    const auto nid = Nid::parse(text);
    ASSERT_TRUE(nid) << nid.error().reason;
    EXPECT_EQ(nid->to_string(), text);
  }
}

// spec/wire-lnet.md 1.5
TEST(NidText, OtherSpellingsMeanTheSame) {
  const auto same = [](const char* a, const char* b) {
    EXPECT_EQ(Nid::parse(a).value(), Nid::parse(b).value());
  };
  same("10.1.2.3", "10.1.2.3@tcp");
  same("10.1.2.3@tcp0", "10.1.2.3@tcp");
  same("2001:0DB8:0:0::1", "2001:db8::1@tcp");
  same("0x1F@gni", "31@gni");
  same("0X1f@kfi2", "31@kfi2");
  same("whatever@lo", "0@lo");
  same("@lo", "0@lo");
  same("*", "<?>");
  EXPECT_TRUE(Nid::parse("<?>").value().is_any());
}

// spec/wire-lnet.md 1.1, 1.5
TEST(NidText, NidsWithoutATextFormPrintHex) {
  EXPECT_EQ(Nid::small({NetType{17}, 2}, 0xc0a8010a).to_string(), "c0a8010a@<17:2>");
  EXPECT_EQ(Nid::large({NetType::kKfi, 0}, {0x20, 1}).to_string(),
            "20010000000000000000000000000000@<16:0>");
  Nid odd = Nid::small({NetType::kTcp, 0}, 0x01020304);
  odd.size = 2;
  EXPECT_EQ(odd.to_string(), "010203040000@<2:0>");
  EXPECT_FALSE(Nid::parse("c0a8010a@<17:2>"));
}

// spec/wire-lnet.md 1.5; spec/upstream-tests.md A, case 99a
TEST(NidText, BadNidsAreRefusedWithTheReason) {
  for (const char* text : {"",
                           "foobar",
                           "1.1.1@tcp",
                           "1.1.1.1.1@tcp",
                           "256.1.1.1@tcp",
                           "1.1.1.256",
                           "@tcp",
                           "1.1.1.1@",
                           "1.1.1.1@foo",
                           "1.1.1.1@tcp1x",
                           "1..1.1@tcp",
                           "1.1.1.@tcp",
                           ".1.1.1@tcp",
                           "1.1.1.1 @tcp",
                           " 1.1.1.1@tcp",
                           "0x1.1.1.1@tcp",
                           "-1@gni",
                           "4294967296@gni",
                           "0x@gni",
                           "0x100000000@kfi",
                           "1.1.1.1@gni",
                           "12@tcp",
                           "2001:db8::g@tcp",
                           "2001:db8::1@gip",
                           "1:2:3:4:5:6:7:8:9@tcp",
                           "[2001:db8::1]@tcp",
                           "1.1.1.[1-2]@tcp",
                           "1.1.1.*@tcp",
                           "*@tcp",
                           "1.1.1.1@tcp@tcp",
                           "+7@gni",
                           "1.1.1.0001@tcp"}) {
    SCOPED_TRACE(text);
    const auto nid = Nid::parse(text);
    ASSERT_FALSE(nid) << nid->to_string();
    EXPECT_EQ(nid.error().code, -EINVAL);
    EXPECT_FALSE(nid.error().reason.empty());
  }
}

// spec/wire-lnet.md 1.5
TEST(NidText, AScopeIsRefusedWithTheReason) {
  const auto nid = Nid::parse("fe80::1%eth0@tcp");
  ASSERT_FALSE(nid);
  EXPECT_NE(nid.error().reason.find("scope"), std::string::npos);
}

TEST(NidText, HostileTextStaysShortAndPrintableInTheReason) {
  const auto nid = Nid::parse(std::string(100000, 'x') + "@tcp");
  ASSERT_FALSE(nid);
  EXPECT_LT(nid.error().reason.size(), 200U);
  const std::string reason = Nid::parse(std::string("\x01\xff\0@tcp", 7)).error().reason;
  for (const char c : reason) EXPECT_TRUE(c >= ' ' && c <= '~');
}

// spec/core-semantics.md 1.1; spec/wire-lnet.md 1.5
RC_GTEST_PROP(NidText, EveryNidOfANamedNetRoundTrips, ()) {
  Nid nid = *wire::gen::nid();
  RC_PRE(!nid.is_loopback());
  const std::string text = nid.to_string();
  const auto parsed = Nid::parse(text);
  if (text.find('<') == std::string::npos || nid.is_any()) {
    RC_ASSERT(parsed.value() == nid);
  } else {
    RC_ASSERT(!parsed);
  }
  RC_ASSERT(text.size() < 64U);
}

RC_GTEST_PROP(NidText, ParsedNidsRoundTrip, (const std::string& text)) {
  for (const std::string& candidate : {text, text + "@tcp", "1.2.3." + text, text + "::@o2ib"}) {
    if (const auto nid = Nid::parse(candidate))
      RC_ASSERT(Nid::parse(nid->to_string()).value() == *nid);
  }
}

// spec/wire-lnet.md 1.5, 1.6
TEST(ProcessIdText, ShowsPlainUserAndAnyPids) {
  const Nid nid = Nid::parse("192.168.1.10@tcp").value();
  const std::pair<ProcessId, const char*> cases[] = {
      {{nid, Pid::lustre()}, "12345-192.168.1.10@tcp"},
      {{nid, Pid::user(40000)}, "U40000-192.168.1.10@tcp"},
      {{nid, Pid::any()}, "LNET_PID_ANY-192.168.1.10@tcp"},
      {{nid, Pid{0}}, "0-192.168.1.10@tcp"},
  };
  for (const auto& [id, text] : cases) {
    EXPECT_EQ(id.to_string(), text);
    EXPECT_EQ(ProcessId::parse(text).value(), id);
  }
  EXPECT_EQ(ProcessId::parse("192.168.1.10").value(), (ProcessId{nid, Pid::lustre()}));
}

TEST(ProcessIdText, BadProcessIdsAreRefused) {  // spec/wire-lnet.md 1.5
  for (const char* text : {"", "-1.1.1.1@tcp", "U-1.1.1.1@tcp", "x-1.1.1.1@tcp", "12345-",
                           "4294967295-1.1.1.1@tcp", "12345-12345-1.1.1.1@tcp", "u1-1.1.1.1@tcp"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(ProcessId::parse(text));
  }
}

}  // namespace
}  // namespace ulnet
