// Decodes the bytes that production nodes sent, and encodes them again to the same bytes. The
// recordings are in tests/data/captures.
#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <set>

#include "lnet/wire/ksock_ack.h"
#include "lnet/wire/lst_message.h"
#include "lnet/wire/ping_info.h"
#include "tests/lnet/recorded/captures/session.h"

namespace ulnet::capture {
namespace {

// The number of each structure in a recording, counted by an independent decoder.
struct Contents {
  const char* name;
  std::size_t requests, hellos, noops, messages, ping_infos, selftest = 0;
};
std::ostream& operator<<(std::ostream& out, const Contents& contents) {
  return out << contents.name;
}

constexpr Contents kRecorded[] = {
    {"01_ping_first_contact", 3, 6, 0, 2, 1},
    {"01b_ping_second", 0, 0, 0, 6, 3},
    {"02_discover_multirail", 6, 12, 0, 6, 3},
    {"03_lst_brw_read_full_4K", 0, 0, 0, 14, 0, 12},
    {"03_lst_brw_write_full_4K", 0, 0, 0, 16, 0, 12},
    {"03_lst_brw_write_none_4K", 0, 0, 0, 16, 0, 12},
    {"03a_lst_ping", 0, 0, 0, 54, 0, 54},
    {"05a_ipv6_ping_first_contact", 3, 6, 0, 4, 2},
    {"05b_ipv6_discover", 0, 0, 0, 6, 3},
    {"06_keepalive_idle", 3, 6, 6, 2, 1},
    {"07a_route_setup_router_starting", 6, 12, 0, 12, 6},
    {"07b_routed_router_enabled_transition", 0, 0, 6, 40, 20},
    {"08_conns_per_peer_4", 9, 18, 0, 2, 1},
    {"09_csum_enabled", 3, 6, 2, 43, 4, 30},
    {"10_peer_death", 0, 0, 0, 1, 0},
    {"12_discovery_disabled", 3, 6, 0, 4, 2},
    {"13_passive_fake_peer", 33, 59, 0, 16, 7},
    {"r05_router_checker_dies_returns", 3, 6, 6, 55, 27},
    {"r06b_avoid_asym_param", 3, 6, 3, 29, 14},
    {"r10_two_routers_r1_dies_returns", 3, 6, 0, 489, 244},
    {"r14_drop_asym_route", 0, 0, 0, 69, 33},
};

class Captures : public testing::TestWithParam<Contents> {
 protected:
  // Calls fn(unit, session) for every unit of every connection.
  template <class Fn>
  void every_unit(Fn&& fn) {
    for (const Connection& connection : connections_) {
      const Session session = decode_session(connection);
      for (const Unit& unit : session.to_server) fn(unit, session);
      for (const Unit& unit : session.to_client) fn(unit, session);
    }
  }

  const std::vector<Connection> connections_ = recording(GetParam().name);
};

TEST_P(Captures, EveryStreamIsWhole) {
  for (const Connection& connection : connections_) {
    EXPECT_FALSE(connection.to_server.incomplete);
    EXPECT_FALSE(connection.to_client.incomplete);
  }
}

TEST_P(Captures, EveryStructureDecodesAndEncodesToTheSameBytes) {
  std::array<std::size_t, 4> found{};
  every_unit([&](const Unit& unit, const Session& session) {
    const std::vector<std::byte> original(unit.bytes.begin(), unit.bytes.end());
    EXPECT_EQ(encode_unit(unit, session.version), original);
    ++found[unit.what.index()];
  });
  const Contents& expected = GetParam();
  EXPECT_THAT(found, testing::ElementsAre(expected.requests, expected.hellos, expected.noops,
                                          expected.messages));
}

TEST_P(Captures, NothingIsLeftUndecoded) {
  std::vector<std::string> errors;
  for (const Connection& connection : connections_) {
    const Session session = decode_session(connection);
    for (const std::string& error : {session.error_to_server, session.error_to_client})
      if (!error.empty()) errors.push_back(error);
  }
  // The fake listener of this recording answers once with version 99 and once with an unknown
  // magic.
  if (std::string(GetParam().name) == "13_passive_fake_peer") {
    EXPECT_THAT(errors, testing::ElementsAre("unknown version", "unknown magic"));
  } else {
    EXPECT_THAT(errors, testing::ElementsAre());
  }
}

// spec/wire-lnet.md 4.2
TEST_P(Captures, PingInfosDecodeAndEncodeToTheSameBytes) {
  std::size_t found = 0;
  every_unit([&](const Unit& unit, const Session&) {
    const auto* message = std::get_if<Message>(&unit.what);
    if (message == nullptr || message->payload.size() < 4) return;
    if (load_le<std::uint32_t>(message->payload.data()) != wire::kPingMagic) return;
    ++found;
    const auto info = wire::decode_ping_info(message->payload);
    ASSERT_TRUE(info) << wire::to_string(info.error().why);
    std::vector<std::byte> again(wire::ping_info_bytes(*info));
    wire::encode_ping_info(*info, again);
    EXPECT_EQ(again, std::vector<std::byte>(message->payload.begin(), message->payload.end()));
    EXPECT_EQ(info->pid, Pid::lustre());
    EXPECT_FALSE(info->primary().is_any());
  });
  EXPECT_EQ(found, GetParam().ping_infos);
}

// spec/wire-selftest.md 2: production nodes do not clear the bytes behind a message's fields, so
// only the fields are compared.
TEST_P(Captures, SelftestMessagesDecodeAndEncodeToTheSameBytes) {
  std::size_t found = 0;
  every_unit([&](const Unit& unit, const Session&) {
    const auto* message = std::get_if<Message>(&unit.what);
    if (message == nullptr || message->payload.size() != wire::kLstMessageBytes) return;
    ++found;
    const auto decoded = wire::decode_lst_message(message->payload);
    ASSERT_TRUE(decoded) << wire::to_string(decoded.error());
    std::vector<std::byte> again(wire::kLstMessageBytes);
    wire::encode_lst_message(*decoded, std::span<std::byte, wire::kLstMessageBytes>(again));
    const auto used = static_cast<std::ptrdiff_t>(wire::lst_message_bytes_used(*decoded));
    EXPECT_EQ(std::vector<std::byte>(again.begin(), again.begin() + used),
              std::vector<std::byte>(message->payload.begin(), message->payload.begin() + used))
        << to_string(decoded->service()) << (decoded->is_reply() ? " reply" : "");
    EXPECT_EQ(decoded->version, wire::kLstVersion);
    EXPECT_EQ(decoded->features, wire::kLstFeatures);
  });
  EXPECT_EQ(found, GetParam().selftest);
}

// spec/wire-socklnd.md 3.2, 4.5, 5
TEST_P(Captures, HandshakesFollowTheRules) {
  for (const Connection& connection : connections_) {
    const Session session = decode_session(connection);
    if (session.version == 0 || !connection.from_start) continue;
    const auto& request = std::get<wire::AcceptorRequest>(session.to_server.at(0).what);
    const auto& offer = std::get<wire::ReceivedHello>(session.to_server.at(1).what).hello;
    const auto& answer = std::get<wire::ReceivedHello>(session.to_client.at(0).what).hello;
    EXPECT_EQ(request, wire::AcceptorRequest::to(request.target));
    EXPECT_THAT(request.target.to_string(),
                testing::StartsWith(connection.server.address + "@tcp"));
    EXPECT_EQ(answer.src_nid, request.target);
    if (answer.version > 1) {
      EXPECT_EQ(answer.dst_nid, offer.src_nid);
    }
    EXPECT_EQ(offer.src_pid, Pid::lustre());
  }
}

// spec/wire-socklnd.md 7: every request is acknowledged once, and nothing else is acknowledged.
TEST_P(Captures, CookiesPairUp) {
  std::multiset<std::uint64_t> asked, answered;
  every_unit([&](const Unit& unit, const Session& session) {
    const auto* noop = std::get_if<Noop>(&unit.what);
    const auto* message = std::get_if<Message>(&unit.what);
    if (noop == nullptr && message == nullptr) return;
    const wire::Frame& frame = noop != nullptr ? noop->frame : message->frame;
    if (wire::zero_copy_request(frame) != wire::kNoCookie) asked.insert(frame.cookie0);
    wire::acks_of(frame, session.version).value().for_each([&](std::uint64_t cookie) {
      answered.insert(cookie);
    });
  });
  EXPECT_EQ(asked, answered);
}

INSTANTIATE_TEST_SUITE_P(Recorded, Captures, testing::ValuesIn(kRecorded),
                         [](const auto& recorded) { return std::string(recorded.param.name); });

TEST(CaptureFiles, AreAllListed) {
  std::set<std::string> listed, present;
  // Recordings whose names begin with r start in the middle of connections, so not all of their
  // connections can be read as streams; tests/lnet/recorded/discovery, tests/lnet/recorded/recovery
  // and tests/lnet/recorded/routing play them.
  const auto from_start = [](const std::string& name) { return name.front() != 'r'; };
  for (const Contents& recorded : kRecorded)
    if (from_start(recorded.name)) listed.insert(recorded.name);
  for (const auto& entry :
       std::filesystem::directory_iterator(ULNET_SOURCE_DIR "/tests/data/captures"))
    if (entry.path().extension() == ".pcap" && from_start(entry.path().stem()))
      present.insert(entry.path().stem());
  EXPECT_EQ(listed, present);
}

// spec/wire-socklnd.md 4.4: the active side uses the version of the answer from then on.
TEST(CaptureFiles, AnAnswersVersionIsAdopted) {
  std::set<std::uint32_t> versions;
  for (const Connection& connection : recording("13_passive_fake_peer")) {
    const Session session = decode_session(connection);
    for (const Unit& unit : session.to_server)
      if (std::holds_alternative<Message>(unit.what)) versions.insert(session.version);
  }
  EXPECT_THAT(versions, testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace ulnet::capture
