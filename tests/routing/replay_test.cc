// Recorded routers: what came to one over any of its nets goes into a core that has its NIDs and
// routes, and what the core sends on is byte for byte what the router sent on, over the same NIs to
// the same neighbours. Source: spec/multirail.md 9.7, spec/observed-routing.md 2.3.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/flow/push_fixture.h"
#include "tests/wire/session.h"

namespace ulnet::capture {
namespace {

using core::HeaderArrived;
using core::Send;
using core::test::Pipe;
using core::test::tcp;
using ::testing::IsEmpty;

Nid nid(const std::string& text) { return Nid::parse(text).value(); }

/// The NID by which a TCP address stands in a recording.
using Nids = std::map<std::string, Nid>;

/// A message on one leg.
struct Leg {
  Duration at{};
  Nid from, to;  ///< the neighbours
  wire::LnetHeader header;
  std::vector<std::byte> payload;

  std::string text() const {
    std::vector<std::byte> bytes(wire::header_bytes(wire::HeaderForm::kNid16));
    wire::encode_header(header, wire::HeaderForm::kNid16, bytes);
    std::string all = from.to_string() + " > " + to.to_string() + ": ";
    for (const std::byte byte : bytes) all += fmt::format("{:02x}", std::to_integer<int>(byte));
    std::uint64_t sum = 0;
    for (const std::byte byte : payload) sum = sum * 31 + std::to_integer<std::uint64_t>(byte);
    return all + fmt::format(" {} bytes {:x}", payload.size(), sum);
  }
};

std::vector<Leg> legs_of(const std::string& name, const Nids& nids) {
  const auto connections =
      read_capture(ULNET_SOURCE_DIR "/tests/data/captures/" + name + ".pcap").value();
  std::vector<Leg> all;
  for (const Connection& connection : connections) {
    const Session session = decode_session(connection);
    const auto take = [&](const std::vector<Unit>& units, const Endpoint& from,
                          const Endpoint& to) {
      for (const Unit& unit : units)
        if (const auto* message = std::get_if<Message>(&unit.what))
          all.push_back({unit.at,
                         nids.at(from.address),
                         nids.at(to.address),
                         message->header,
                         {message->payload.begin(), message->payload.end()}});
    };
    take(session.to_server, connection.client, connection.server);
    take(session.to_client, connection.server, connection.client);
  }
  // Those that came at the same time stay in the order of their connections.
  std::multimap<Duration, Leg> by_time;
  for (Leg& leg : all) by_time.emplace(leg.at, std::move(leg));
  all.clear();
  for (auto& [at, leg] : by_time) all.push_back(std::move(leg));
  return all;
}

/// One router of a recording.
class Router : public Pipe {
 public:
  Router(const std::vector<Nid>& own, const std::vector<core::Route>& routes)
      : Pipe(own, {tcp(250)}, 1), own_(own) {
    auto list = std::make_shared<core::RouteList>();
    for (const core::Route& route : routes) EXPECT_TRUE(list->add(route, list->size()));
    a.config->routes = list;
    a.config->routing.on = a.config->routing.at_once = true;
    configure(a);
    a.hold_sends = true;
  }
  /// A neighbour with these NIDs has pushed to the router's NID `own`.
  void know(const Nid& own, const std::vector<Nid>& nids) {
    const std::vector<std::byte> info = core::encode(
        core::test::info_with(nids, core::test::kUsualFeatures & ~wire::kPingRoutingDisabled));
    wire::LnetHeader push;
    push.dest_nid = own;
    push.src_nid = nids.front();
    push.dest_pid = push.src_pid = Pid::lustre();
    push.payload_length = static_cast<std::uint32_t>(info.size());
    push.part = wire::PutPart{.match_bits = wire::kPingMatchBits};
    arrive(a, push, nids.front(), ni_of(own), info);
    take_sends();
  }
  void play(const std::vector<Leg>& legs) {
    for (const Leg& leg : legs) {
      tick(leg.at - clock_);
      clock_ = leg.at;
      take_sends();
      if (is_own(leg.from) && !is_own(leg.header.src_nid)) recorded.push_back(leg.text());
      // Answers to what the recorded router asked by itself are answers to nothing here.
      const bool answer = std::holds_alternative<wire::ReplyPart>(leg.header.part) ||
                          std::holds_alternative<wire::AckPart>(leg.header.part);
      if (!is_own(leg.to) || (is_own(leg.header.dest_nid) && answer)) continue;
      arrive(a, leg.header, leg.from, ni_of(leg.to), leg.payload);
      take_sends();
    }
  }
  std::vector<std::string> recorded, sent;

 private:
  bool is_own(const Nid& nid) const { return std::ranges::find(own_, nid) != own_.end(); }
  core::NiId ni_of(const Nid& nid) const {
    return std::ranges::find(a.config->nis, nid, &core::NiConfig::nid)->id;
  }
  void take_sends() {
    while (!a.sends.empty()) {
      const Send send = a.sends.front();
      a.sends.erase(a.sends.begin());
      if (!is_own(send.header.src_nid)) {
        const auto by = std::ranges::find(a.config->nis, send.ni, &core::NiConfig::id);
        sent.push_back(Leg{{}, by->nid, send.hop.nid, send.header, payload_of(send)}.text());
      }
      finish_send(a, send, 0);
    }
  }
  static std::vector<std::byte> payload_of(const Send& send) {
    std::vector<std::byte> all;
    for (std::uint32_t i = 0; i < send.payload.count; ++i) {
      const auto* base = static_cast<const std::byte*>(send.payload.fragments[i].iov_base);
      all.insert(all.end(), base, base + send.payload.fragments[i].iov_len);
    }
    all.resize(send.payload.length);
    return all;
  }

  std::vector<Nid> own_;
  Duration clock_{};
};

void expect_as_recorded(const Router& router, std::size_t at_least) {
  EXPECT_GE(router.recorded.size(), at_least);
  // Those that come over different nets at nearly the same time may leave in either order.
  std::multiset<std::string> missing(router.recorded.begin(), router.recorded.end());
  for (const std::string& each : router.sent) {
    const auto found = missing.find(each);
    EXPECT_NE(found, missing.end()) << "sent, and not recorded: " << each;
    if (found != missing.end()) missing.erase(found);
  }
  EXPECT_THAT(missing, IsEmpty());
}

// ---- A, 13@tcp, two routers 14 and 16, C, 15@tcp2

const Nids kMultihop = {
    {"10.99.0.13", nid("10.99.0.13@tcp")},  {"10.99.0.14", nid("10.99.0.14@tcp")},
    {"10.99.1.14", nid("10.99.1.14@tcp1")}, {"10.99.1.16", nid("10.99.1.16@tcp1")},
    {"10.99.0.16", nid("10.99.0.16@tcp2")}, {"10.99.0.15", nid("10.99.0.15@tcp2")}};
const NetId kTcp{NetType::kTcp, 0}, kTcp2{NetType::kTcp, 2};

Router first_router() {
  return {{nid("10.99.0.14@tcp"), nid("10.99.1.14@tcp1")},
          {{kTcp2, nid("10.99.1.16@tcp1"), core::kHopsUndefined, 0}}};
}
Router second_router() {
  return {{nid("10.99.1.16@tcp1"), nid("10.99.0.16@tcp2")},
          {{kTcp, nid("10.99.1.14@tcp1"), core::kHopsUndefined, 0}}};
}

class Multihop : public ::testing::TestWithParam<const char*> {};

TEST_P(Multihop, TheFirstRouter) {
  const std::vector<Leg> legs = legs_of(GetParam(), kMultihop);
  Router router = first_router();
  router.know(nid("10.99.1.14@tcp1"), {nid("10.99.1.16@tcp1"), nid("10.99.0.16@tcp2")});
  router.play(legs);
  expect_as_recorded(router, 8);
}

TEST_P(Multihop, TheSecondRouter) {
  const std::vector<Leg> legs = legs_of(GetParam(), kMultihop);
  Router router = second_router();
  router.know(nid("10.99.1.16@tcp1"), {nid("10.99.0.14@tcp"), nid("10.99.1.14@tcp1")});
  router.play(legs);
  expect_as_recorded(router, 8);
}

INSTANTIATE_TEST_SUITE_P(Recordings, Multihop,
                         ::testing::Values("r11_multihop_ping_discover",
                                           "r12_multihop_brw_64k_write"));

// ---- 1@tcp, a router 3, 2@tcp1

TEST(Replay07b, ARouterThatIsEnabledWhileItForwards) {
  const Nids nids = {{"10.99.0.1", nid("10.99.0.1@tcp")},
                     {"10.99.0.3", nid("10.99.0.3@tcp")},
                     {"10.99.1.3", nid("10.99.1.3@tcp1")},
                     {"10.99.1.2", nid("10.99.1.2@tcp1")}};
  const std::vector<Leg> legs = legs_of("07b_routed_router_enabled_transition", nids);
  Router router({nid("10.99.0.3@tcp"), nid("10.99.1.3@tcp1")}, {});
  router.play(legs);
  expect_as_recorded(router, 10);
}

}  // namespace
}  // namespace ulnet::capture
