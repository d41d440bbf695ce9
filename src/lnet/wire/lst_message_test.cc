// LNet selftest's messages: spec/wire-selftest.md 1 to 4.
#include "lnet/wire/lst_message.h"

#include "lnet/wire/generators_fixture.h"
#include "lnet/wire/nids_fixture.h"

namespace ulnet::wire {
namespace {

constexpr std::uint64_t kIds = 0x007b'0000'0000'0000;

using Bytes = std::vector<std::byte>;

Bytes encoded(const LstMessage& message) {
  Bytes bytes(kLstMessageBytes);
  encode_lst_message(message, std::span<std::byte, kLstMessageBytes>(bytes));
  return bytes;
}
LstMessage message_with(LstBody body) {
  LstMessage message;
  message.body = std::move(body);
  return message;
}
DecodeError refusal_of(ByteView bytes) {
  const auto decoded = decode_lst_message(bytes);
  EXPECT_FALSE(decoded);
  return decoded ? DecodeError{} : decoded.error();
}

LstMessage make_session() {
  return message_with(LstMakeSession{kIds + 1, {kA, 123456789}, 0, LstName("demo")});
}
LstMessage brw() {
  return message_with(LstBrw{kIds + 2, kIds + 3, LstBrwOp::kWrite, 1 << 20, LstCheck::kFull});
}
LstMessage test() {
  LstTest test;
  test.rpyid = kIds + 4;
  test.bulkid = kIds + 5;
  test.session = {kA, 123456789};
  test.batch = 1;
  test.service = LstService::kBrw;
  test.loop = kLstLoopForever;
  test.concurrency = 8;
  test.is_client = test.stop_on_error = true;
  test.destinations = 1;
  test.parameters = LstBrwBytes{LstBrwOp::kRead, LstCheck::kSimple, 65536, 0};
  return message_with(test);
}

// spec/wire-selftest.md 2, 3.1, 3.4, 4.2; spec/vectors.md 21 to 23
TEST(LstMessage, TheWorkedExamples) {
  const LstMessage examples[] = {make_session(), brw(), test()};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(decode_lst_message(vectors::bytes(21 + i)).value(), examples[i]) << i;
    EXPECT_EQ(encoded(examples[i]), vectors::bytes(21 + i)) << i;
  }
}

// The offset of a field in the whole message, its size, and its value.
struct Field {
  std::size_t at;
  unsigned bytes;
  std::uint64_t value;
};

// Checks that the message has these fields and zeros elsewhere, in both byte orders, and that
// reading it gives the same message.
void expect_fields(LstMessage message, std::uint32_t type, std::vector<Field> fields) {
  SCOPED_TRACE(type);
  message.version = 7;
  message.features |= 0x40;
  fields.insert(fields.end(),
                {{0, 4, 0xeeb0f00d}, {4, 4, 7}, {8, 4, type}, {20, 4, message.features}});
  for (const bool swapped : {false, true}) {
    message.swapped = swapped;
    Bytes expected(kLstMessageBytes);
    std::size_t end = 0;
    for (const Field& field : fields) {
      for (unsigned i = 0; i < field.bytes; ++i)
        expected[field.at + (swapped ? field.bytes - 1 - i : i)] =
            static_cast<std::byte>(i < 8 ? field.value >> 8 * i : 0);
      end = std::max(end, field.at + field.bytes);
    }
    EXPECT_EQ(encoded(message), expected);
    EXPECT_EQ(decode_lst_message(expected).value(), message);
    EXPECT_EQ(lst_message_bytes_used(message), end);
  }
}

const LstSessionId kSession{kB, 0x1122334455667788};
constexpr std::uint64_t kConsole = 0x00020000'c0a80114;

TEST(LstMessage, FieldsOfSessions) {  // spec/wire-selftest.md 2.1, 3.1, 3.2, 3.3, 3.7
  expect_fields(
      message_with(LstMakeSession{11, kSession, 12, {}}), 0,
      {{24, 8, 11}, {32, 8, kConsole}, {40, 8, 0x1122334455667788}, {48, 4, 12}, {52, 32, 0}});
  // The last two fields are ulnet's own: docs/SELFTEST.md.
  expect_fields(message_with(LstMakeSessionReply{11, kSession, 12, {}, 13, 14}), 1,
                {{24, 4, 11},
                 {28, 8, kConsole},
                 {36, 8, 0x1122334455667788},
                 {44, 4, 12},
                 {48, 32, 0},
                 {80, 8, 13},
                 {88, 4, 14}});
  expect_fields(message_with(LstRemoveSession{11, kSession}), 2,
                {{24, 8, 11}, {32, 8, kConsole}, {40, 8, 0x1122334455667788}});
  expect_fields(message_with(LstRemoveSessionReply{11, kSession}), 3,
                {{24, 4, 11}, {28, 8, kConsole}, {36, 8, 0x1122334455667788}});
  expect_fields(message_with(LstDebug{11, kSession, 12}), 10,
                {{24, 8, 11}, {32, 8, kConsole}, {40, 8, 0x1122334455667788}, {48, 4, 12}});
  expect_fields(message_with(LstDebugReply{11, kSession, 12, 13, {}}), 11,
                {{24, 4, 11},
                 {28, 8, kConsole},
                 {36, 8, 0x1122334455667788},
                 {44, 4, 12},
                 {48, 4, 13},
                 {52, 32, 0}});
  expect_fields(message_with(LstJoin{11, kSession, {}}), 16,
                {{24, 8, 11}, {32, 8, kConsole}, {40, 8, 0x1122334455667788}, {48, 32, 0}});
  expect_fields(
      message_with(LstJoinReply{11, kSession, 12, {}}), 17,
      {{24, 4, 11}, {28, 8, kConsole}, {36, 8, 0x1122334455667788}, {44, 4, 12}, {48, 32, 0}});
}

// spec/wire-selftest.md 3.5, 3.6
TEST(LstMessage, FieldsOfBatchesAndStatistics) {
  expect_fields(message_with(LstBatch{11, kSession, 12, LstBatchOp::kStop, 13, 14}), 4,
                {{24, 8, 11},
                 {32, 8, kConsole},
                 {40, 8, 0x1122334455667788},
                 {48, 8, 12},
                 {56, 4, 2},
                 {60, 4, 13},
                 {64, 4, 14}});
  expect_fields(
      message_with(LstBatchReply{11, kSession, 12, 13}), 5,
      {{24, 4, 11}, {28, 8, kConsole}, {36, 8, 0x1122334455667788}, {44, 4, 12}, {48, 4, 13}});
  expect_fields(message_with(LstStat{11, kSession, 12}), 6,
                {{24, 8, 11}, {32, 8, kConsole}, {40, 8, 0x1122334455667788}, {48, 4, 12}});
  LstStat latency{11, kSession, kLstStatLatency, 12, 13, 14};  // docs/SELFTEST.md
  expect_fields(message_with(latency), 6,
                {{24, 8, 11},
                 {32, 8, kConsole},
                 {40, 8, 0x1122334455667788},
                 {48, 4, 0x54414c55},
                 {52, 8, 12},
                 {60, 8, 13},
                 {68, 4, 14}});
  EXPECT_EQ(lst_data_wanted(message_with(latency)), 2448U);
  EXPECT_EQ(lst_data_wanted(message_with(LstStat{11, kSession, 0})), 0U);
  LstStatReply stat{11,
                    kSession,
                    {1, 2, 3, 4, 5},
                    {6, 7, 8, 9, 10, 1ULL << 40, 2ULL << 40},
                    {21, 22, 23, 24, 25, 26, 27, 3ULL << 40, 4ULL << 40, 5ULL << 40, 6ULL << 40}};
  expect_fields(message_with(stat), 7,
                {{24, 4, 11},          {28, 8, kConsole},    {36, 8, 0x1122334455667788},
                 {44, 4, 1},           {48, 4, 2},           {52, 4, 3},
                 {56, 4, 4},           {60, 4, 5},           {64, 4, 6},
                 {68, 4, 7},           {72, 4, 8},           {76, 4, 9},
                 {80, 4, 10},          {84, 8, 1ULL << 40},  {92, 8, 2ULL << 40},
                 {100, 4, 21},         {104, 4, 22},         {108, 4, 23},
                 {112, 4, 24},         {116, 4, 25},         {120, 4, 26},
                 {124, 4, 27},         {128, 8, 3ULL << 40}, {136, 8, 4ULL << 40},
                 {144, 8, 5ULL << 40}, {152, 8, 6ULL << 40}});
}

// spec/wire-selftest.md 3.4
TEST(LstMessage, FieldsOfTestsFollowServiceAndFeatures) {
  LstTest test{11, 12, kSession, 13, LstService::kBrw, 14, 15, true, false, 16, {}};
  const auto expect = [&](std::uint32_t service, std::uint32_t features, LstParameters parameters,
                          const std::vector<Field>& tail) {
    std::vector<Field> fields = {
        {24, 8, 11}, {32, 8, 12},      {40, 8, kConsole}, {48, 8, 0x1122334455667788},
        {56, 8, 13}, {64, 4, service}, {68, 4, 14},       {72, 4, 15},
        {76, 1, 1},  {77, 1, 0},       {78, 4, 16}};
    fields.insert(fields.end(), tail.begin(), tail.end());
    test.service = LstService{service};
    test.parameters = parameters;
    LstMessage message = message_with(test);
    message.features = features;
    expect_fields(message, 8, fields);
  };
  expect(12, 1, LstPingParameters{17, 18}, {{82, 4, 17}, {86, 4, 18}});
  expect(12, 0, LstPingParameters{17, 18}, {{82, 4, 17}, {86, 4, 18}});
  expect(11, 1, LstBrwBytes{LstBrwOp::kWrite, LstCheck::kDiscard, 17, 18},
         {{82, 2, 2}, {84, 2, 4}, {86, 4, 17}, {90, 4, 18}});
  expect(11, 1, LstBrwBytes{LstBrwOp::kWrite, LstCheck::kFull, 17, 0, true},
         {{82, 2, 2}, {84, 2, 0x8003}, {86, 4, 17}, {90, 4, 0}});
  expect(11, 0, LstBrwPages{LstBrwOp::kWrite, 17, LstCheck::kFull},
         {{82, 4, 2}, {86, 4, 17}, {90, 4, 3}});
  expect(99, 1, std::monostate{}, {});
  expect_fields(message_with(LstTestReply{11, kSession}), 9,
                {{24, 4, 11}, {28, 8, kConsole}, {36, 8, 0x1122334455667788}});
}

// spec/wire-selftest.md 4.1, 4.2
TEST(LstMessage, FieldsOfTestRpcs) {
  expect_fields(message_with(LstBrw{11, 12, LstBrwOp::kWrite, 13, LstCheck::kSimple}), 12,
                {{24, 8, 11}, {32, 8, 12}, {40, 4, 2}, {44, 4, 13}, {48, 4, 2}});
  expect_fields(message_with(LstBrwReply{74}), 13, {{24, 4, 74}});
  expect_fields(message_with(LstPing{11, kLstPingMagic, 12, 13, 14}), 14,
                {{24, 8, 11}, {32, 4, 0xbabeface}, {36, 4, 12}, {40, 8, 13}, {48, 8, 14}});
  expect_fields(message_with(LstPingReply{11, 12, 13}), 15,
                {{24, 4, 11}, {28, 4, 12}, {32, 4, 13}});
}

TEST(LstMessage, TypesBelongToServices) {  // spec/cli-lst.md 9; spec/wire-selftest.md 1.1
  struct {
    std::size_t type;
    LstService service;
    std::uint32_t number;
  } const table[] = {{0, LstService::kMakeSession, 1}, {2, LstService::kRemoveSession, 2},
                     {4, LstService::kBatch, 3},       {6, LstService::kStat, 5},
                     {8, LstService::kTest, 4},        {10, LstService::kDebug, 0},
                     {12, LstService::kBrw, 11},       {14, LstService::kPing, 12},
                     {16, LstService::kJoin, 6}};
  for (const auto& row : table) {
    for (const std::size_t type : {row.type, row.type + 1}) {
      Bytes bytes = encoded(LstMessage{});
      std::fill(bytes.begin() + 24, bytes.end(), std::byte{0});
      store_le(bytes.data() + 8, static_cast<std::uint32_t>(type));
      const LstMessage message = decode_lst_message(bytes).value();
      EXPECT_EQ(message.service(), row.service);
      EXPECT_EQ(static_cast<std::uint32_t>(message.service()), row.number);
      EXPECT_EQ(message.is_reply(), type != row.type);
    }
    EXPECT_EQ(is_test_service(row.service), row.number > 10);
    EXPECT_STRNE(to_string(row.service), "unknown service");
  }
  EXPECT_STREQ(to_string(LstService{10}), "unknown service");
}

TEST(LstMessage, IdsStatusAndSessionAreFoundInEveryBody) {  // spec/wire-selftest.md 1.2.1, 2.2
  LstMessage message = brw();
  message.set_ids(5, 6);
  EXPECT_EQ(message.rpyid(), 5U);
  EXPECT_EQ(std::get<LstBrw>(message.body).bulkid, 6U);
  EXPECT_EQ(message.session(), nullptr);
  EXPECT_EQ(message.status(), 0U);
  message = make_session();
  message.set_ids(7, 8);
  EXPECT_EQ(message.rpyid(), 7U);
  EXPECT_EQ(*message.session(), (LstSessionId{kA, 123456789}));
  message = message_with(LstBatchReply{3, kSession, 0, 0});
  EXPECT_EQ(message.status(), 3U);
  EXPECT_EQ(message.rpyid(), 0U);
}

// spec/wire-selftest.md 1.2, 2: a message is 160 bytes, no more and no less.
TEST(LstMessage, EveryOtherLengthIsRefused) {
  gen::every_truncation(vectors::bytes(23), [](ByteView prefix) {
    EXPECT_EQ(refusal_of(prefix), DecodeError::kTruncated);
  });
  Bytes longer = vectors::bytes(23);
  longer.resize(longer.size() + 1);
  EXPECT_EQ(refusal_of(longer), DecodeError::kBadCount);
}

// spec/wire-selftest.md 2
TEST(LstMessage, MalformedInputIsRefused) {
  Bytes bytes = vectors::bytes(21);
  bytes[3] = std::byte{0xef};
  EXPECT_EQ(refusal_of(bytes), DecodeError::kBadMagic);
  bytes = vectors::bytes(21);
  store_le(bytes.data() + 8, 18U);
  EXPECT_EQ(refusal_of(bytes), DecodeError::kBadType);
  bytes = vectors::bytes(21);
  bytes[39] = std::byte{1};  // bits that no valid NID has
  EXPECT_EQ(refusal_of(bytes), DecodeError::kBadNid);
}

// spec/wire-selftest.md 2.4
TEST(LstMessage, NoSessionIsAllOnes) {
  const Bytes bytes = encoded(message_with(LstRemoveSessionReply{}));
  for (std::size_t i = 28; i < 44; ++i) EXPECT_EQ(bytes[i], std::byte{0xff}) << i;
  EXPECT_TRUE(decode_lst_message(bytes).value().session()->is_none());
  EXPECT_FALSE(kSession.is_none());
}

// spec/wire-selftest.md 2.4
TEST(LstMessage, NamesAreText) {
  EXPECT_EQ(LstName("").text(), "");
  EXPECT_EQ(LstName(std::string(31, 'a')).text(), std::string(31, 'a'));
  EXPECT_EQ(LstName(std::string(40, 'a')).text(), std::string(31, 'a'));
  EXPECT_NE(LstName("a"), LstName("b"));
  Bytes bytes = vectors::bytes(21);
  std::fill(bytes.begin() + 52, bytes.begin() + 84, std::byte{'x'});
  EXPECT_EQ(std::get<LstMakeSession>(decode_lst_message(bytes).value().body).name.text(),
            std::string(31, 'x'))
      << "no end";
  bytes = vectors::bytes(21);
  bytes[58] = std::byte{'x'};
  EXPECT_EQ(std::get<LstMakeSession>(decode_lst_message(bytes).value().body).name, LstName("demo"))
      << "what lies behind the end is nobody's";
}

// spec/wire-selftest.md 2: stale bytes behind the body are ignored.
TEST(LstMessage, TheTailIsIgnored) {
  for (const LstMessage& message : {make_session(), brw(), test()}) {
    Bytes bytes = encoded(message);
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(lst_message_bytes_used(message)),
              bytes.end(), std::byte{0x5a});
    bytes[12] = bytes[19] = std::byte{0x5a};  // reserved
    EXPECT_EQ(decode_lst_message(bytes).value(), message);
  }
}

// docs/SELFTEST.md: zeros, stale bytes, and the extension of another session's reply do not count.
TEST(LstMessage, AMarkIsOfItsSession) {
  LstMakeSessionReply reply{.session = kSession, .sign = lst_sign(kSession), .abilities = 3};
  EXPECT_EQ(lst_abilities(reply), 3U);
  Bytes bytes = encoded(message_with(reply));
  EXPECT_EQ(std::get<LstMakeSessionReply>(decode_lst_message(bytes).value().body), reply);
  bytes[36] ^= std::byte{1};  // the stamp of another session
  const auto stale = std::get<LstMakeSessionReply>(decode_lst_message(bytes).value().body);
  EXPECT_EQ(stale.abilities, 3U);
  EXPECT_EQ(lst_abilities(stale), 0U);
  reply.sign = 0;
  EXPECT_EQ(lst_abilities(reply), 0U);
  const LstMakeSessionReply none{.sign = lst_sign({}), .abilities = 3};
  EXPECT_EQ(lst_abilities(none), 0U);
}

// A message decoded from random bytes encodes to bytes that decode to the same message.
RC_GTEST_PROP(LstMessage, BytesThatDecodeAreAValueThatRoundTrips, ()) {
  Bytes bytes(kLstMessageBytes);
  for (auto& byte : bytes) byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  const bool swapped = *rc::gen::arbitrary<bool>();
  const std::uint32_t magic = 0xeeb0f00d;
  store_le(bytes.data(), swapped ? swap_bytes(magic) : magic);
  const auto type = *rc::gen::inRange<std::uint32_t>(0, 18);
  store_le(bytes.data() + 8, swapped ? swap_bytes(type) : type);
  const std::uint64_t console = (*gen::small_nid()).to_nid4();
  const std::size_t at = type == 8 ? 40 : type % 2 != 0 ? 28 : 32;
  store_le(bytes.data() + at, swapped ? swap_bytes(console) : console);
  if (*rc::gen::arbitrary<bool>() && type == 8)
    store_le(bytes.data() + 64, swapped ? swap_bytes(11U) : 11U);
  if (*rc::gen::arbitrary<bool>() && type == 6)
    store_le(bytes.data() + 48, swapped ? swap_bytes(kLstStatLatency) : kLstStatLatency);
  const auto decoded = decode_lst_message(bytes);
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(decode_lst_message(encoded(*decoded)).value() == *decoded);
}

using LstMessageDeathTest = testing::Test;

TEST(LstMessageDeathTest, ParametersOfAnotherServiceAreAProgrammersError) {
  LstMessage message = test();
  std::get<LstTest>(message.body).parameters = LstPingParameters{};
  EXPECT_DEATH(encoded(message), "held");
}

// spec/wire-selftest.md 3.4; spec/vectors.md 24
TEST(LstDestinations, AreTwelveBytesEach) {
  const std::vector<ProcessId> one = {{kB, Pid::lustre()}};
  Bytes bytes(lst_destinations_bytes(1, kLstFeatures));
  encode_lst_destinations(one, bytes);
  EXPECT_EQ(bytes, vectors::bytes(24));
  EXPECT_EQ(decode_lst_destinations(bytes, 1, Order::kLittle).value(), one);
  encode_lst_destinations(one, bytes, Order::kBig);
  EXPECT_EQ(bytes, vectors::from_hex("00020000c0a8011400003039"));
  EXPECT_EQ(decode_lst_destinations(bytes, 1, Order::kBig).value(), one);
  EXPECT_TRUE(decode_lst_destinations({}, 0, Order::kLittle)->empty());
}

// spec/wire-selftest.md 3.4
TEST(LstDestinations, ArePaged) {
  EXPECT_EQ(lst_destinations_bytes(341, kLstFeatures), 4092U);
  EXPECT_EQ(lst_destinations_bytes(1, 0), 4096U);
  EXPECT_EQ(lst_destinations_bytes(341, 0), 4096U);
  EXPECT_EQ(lst_destinations_bytes(342, 0), 8192U);
  std::vector<ProcessId> many;
  for (std::uint32_t i = 0; i < 700; ++i)
    many.push_back({Nid::small({NetType::kTcp, 0}, i + 1), Pid{i}});
  Bytes bytes(lst_destinations_bytes(700, 0));
  encode_lst_destinations(many, bytes);
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 4092), 0U) << "the end of a page is unused";
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 4096), 342U);
  EXPECT_EQ(decode_lst_destinations(bytes, 700, Order::kLittle).value(), many);
}

// spec/wire-selftest.md 3.4
TEST(LstDestinations, CutAndEmptyListsAreRefused) {
  const std::vector<ProcessId> two = {{kB, Pid::lustre()}, {kA, Pid::lustre()}};
  Bytes bytes(24);
  encode_lst_destinations(two, bytes);
  gen::every_truncation(bytes, [](ByteView prefix) {
    EXPECT_EQ(decode_lst_destinations(prefix, 2, Order::kLittle), refuse(DecodeError::kTruncated));
  });
  EXPECT_EQ(decode_lst_destinations(bytes, 0xffffffff, Order::kLittle),
            refuse(DecodeError::kTruncated));
  std::fill(bytes.begin() + 12, bytes.begin() + 20, std::byte{0xff});
  EXPECT_EQ(decode_lst_destinations(bytes, 2, Order::kLittle), refuse(DecodeError::kBadNid));
}

}  // namespace
}  // namespace ulnet::wire
