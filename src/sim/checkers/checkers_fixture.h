// For tests of checkers: two correct nodes, and a checker that a test calls with false information
// about one of them. Each test shows its checker a step, an event or a state that must not occur,
// and expects a violation. tests/sim/planted and tests/lnet/scenarios test that checkers find
// nothing in correct runs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lnet/core/contract/nids_fixture.h"
#include "lnet/core/flow/step.h"
#include "sim/world/acquaint_fixture.h"
#include "sim/world/world.h"

namespace ulnet::sim {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;

struct Silent final : EventSink {
  void on_event(const Event&) override {}
};

/// A correct node "a" beside "b"; the tests call `checker` with false information about "a".
template <auto kMake>
struct Lies : ::testing::Test {
  Lies()
      : checker(world.add_checker(kMake())),
        a(world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}})),
        b(world.add_node({.name = "b", .nis = {{.nid = tcp(2)}}})),
        state(const_cast<core::ShardState&>(*a.shard_state())),
        ni(state.nis.find(tcp(1))->config.id) {}

  void step(core::Input input, core::Actions actions = {}) {
    checker.after_step(world, {a, 0, world.now(), input, actions, state});
  }
  template <class Body>
  void call(Body body, core::Actions actions = {}) {
    core::ApiCall api;
    api.body.template emplace<Body>(std::move(body));
    step(core::Api{&api}, std::move(actions));
  }
  MdHandle bind(std::int32_t threshold = 2, std::uint32_t options = 0) {
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.threshold = threshold;
    spec.options = options;
    spec.sink = &sink;
    return a.md_bind(spec, UnlinkMode::kUnlink).value();
  }
  MdHandle attach(MatchBits bits, std::uint32_t options, std::uint32_t max_size = 0) {
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.options = options;
    spec.max_size = max_size;
    spec.sink = &sink;
    const auto me = a.me_attach({5}, {}, bits, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
    return a.md_attach(me.value(), spec, UnlinkMode::kUnlink).value();
  }
  /// Sends a PUT of `length` bytes from b to a, and returns while it is under way.
  void put_to_a(MatchBits bits, std::size_t length) {
    acquaint(b, a.nid());  // `source` is lent only during this call
    source.resize(length);
    const iovec from{source.data(), length};
    MdSpec spec;
    spec.fragments = {&from, 1};
    spec.sink = &sink;
    PutRequest request;
    request.md = b.md_bind(spec, UnlinkMode::kRetain).value();
    request.target = a.id();
    request.portal = {5};
    request.match_bits = bits;
    ASSERT_TRUE(b.put(request).has_value());
  }
  /// The action that notes something about a peer's NID.
  static core::Actions note(core::Note::About about, const Nid& nid) {
    core::Actions actions;
    const core::Note noted{.about = about, .nid = nid};
    actions.emplace_back(std::in_place_type<core::Note>, noted);
    return actions;
  }
  static core::Post post(MdHandle md, EventType type, std::uint64_t sequence, int status = 0,
                         bool unlinked = false) {
    core::Post made;
    made.strand = made.event.md = md;
    made.event.type = type;
    made.event.sequence = sequence;
    made.event.status = status;
    made.event.unlinked = unlinked;
    made.event.msg_type = static_cast<std::uint32_t>(wire::MsgType::kPut);
    return made;
  }
  core::Send send(core::MsgTicket tx, wire::LnetHeader header = {}) const {
    core::Send made;
    made.ni = ni;
    made.hop = {tcp(2), Pid::lustre()};
    made.header = header;
    made.tx = tx;
    made.deadline = world.now() + seconds(50);
    return made;
  }
  PutRequest request_for(MdHandle md, AckRequest ack = AckRequest::kAck) const {
    PutRequest request;
    request.md = md;
    request.target = b.id();
    request.ack = ack;
    return request;
  }
  wire::LnetHeader header() const {
    wire::LnetHeader made;
    made.src_nid = tcp(2);
    made.dest_nid = tcp(1);
    made.part.emplace<wire::PutPart>();
    return made;
  }
  /// The text of the first violation; empty without a violation.
  std::string said() const { return world.violation() ? world.violation()->what : std::string(); }

  static constexpr core::MsgTicket kMsg{40, 1};
  std::vector<char> bytes = std::vector<char>(4096), source;
  const iovec memory{bytes.data(), bytes.size()};
  Silent sink;
  World world{1};
  Checker& checker;
  SimNode& a;
  SimNode& b;
  core::ShardState& state;
  const core::NiId ni;
};

/// Two correct nodes over TCP, "a" and "b".
struct TcpWorld : ::testing::Test {
  /// a has no descriptor for a connection `no_descriptor_ppm` of a million times.
  explicit TcpWorld(std::uint32_t no_descriptor_ppm = 0)
      : a(world.add_node({.name = "a",
                          .nis = {{.nid = tcp(1)}},
                          .driver = DriverKind::kSock,
                          .no_descriptor_ppm = no_descriptor_ppm})) {}
  /// The text of the first violation; empty without a violation.
  std::string said() const { return world.violation() ? world.violation()->what : std::string(); }
  /// Sends a PUT of `length` bytes from a to b, and returns while it is under way.
  void put(std::size_t length) {
    const iovec from{bytes.data(), length};
    MdSpec spec;
    spec.fragments = {&from, 1};
    spec.threshold = 1;
    spec.sink = &sink;
    PutRequest request;
    request.md = a.md_bind(spec, UnlinkMode::kUnlink).value();
    request.target = b.id();
    request.portal = {5};
    ASSERT_TRUE(a.put(request).has_value());
  }

  std::vector<char> bytes = std::vector<char>(4096);
  Silent sink;
  World world{1};
  SimNode& a;
  SimNode& b = world.add_node({.name = "b", .nis = {{.nid = tcp(2)}}, .driver = DriverKind::kSock});
};

}  // namespace ulnet::sim
