// For tests of checkers of routers: two correct routers "r" and "s" between the correct nodes "a"
// on tcp and "b" on tcp1, and a checker that a test calls with false information about the routers.
#pragma once

#include <memory>
#include <vector>

#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {

inline Nid tcp1(std::uint32_t host) { return Nid::small({NetType::kTcp, 1}, 0x0a010000U + host); }

template <auto kMake>
struct RouterLies : ::testing::Test {
  RouterLies()
      : checker(world.add_checker(kMake())),
        a(node("a", {tcp(1)}, {{tcp1(0).net(), tcp(8)}})),
        b(node("b", {tcp1(2)}, {{tcp(0).net(), tcp1(8)}})),
        r(node("r", {tcp(8), tcp1(8)}, {})),
        s(node("s", {tcp(9), tcp1(9)}, {})),
        state(state_of(r)) {}
  ~RouterLies() override {
    for (const auto& [node, msg] : made_)
      state_of(*node).messages.erase(core::ShardState::handle(msg));
  }

  SimNode& node(const char* name, const std::vector<Nid>& nids,
                const std::vector<core::Route>& routes) {
    NodeSetup setup;
    setup.name = name;
    auto list = std::make_shared<core::RouteList>();
    for (const core::Route& route : routes) EXPECT_TRUE(list->add(route, list->size()));
    setup.routes = std::move(list);
    setup.routing.on = setup.routing.at_once = nids.size() > 1;
    for (const Nid& nid : nids)
      setup.nis.push_back({.nid = nid, .tunables = {.peer_buffer_credits = 1}});
    return world.add_node(std::move(setup));
  }
  static core::ShardState& state_of(SimNode& node) {
    return const_cast<core::ShardState&>(*node.shard_state());
  }
  void step_at(SimNode& node, core::Input input, core::Actions actions = {}) {
    checker.after_step(world, {node, 0, world.now(), input, actions, state_of(node)});
  }
  void step(core::Input input = core::Tick{}, core::Actions actions = {}) {
    step_at(r, std::move(input), std::move(actions));
  }

  /// The header of a PUT from a to b.
  static wire::LnetHeader header(std::uint32_t payload = 100, std::uint64_t bits = 7) {
    wire::LnetHeader made;
    made.src_nid = tcp(1);
    made.dest_nid = tcp1(2);
    made.payload_length = payload;
    made.part.emplace<wire::PutPart>().match_bits = bits;
    return made;
  }
  /// A message in a router that is to be forwarded, without buffer or credit.
  core::Msg& message_at(SimNode& node, std::uint32_t payload = 100, std::uint64_t bits = 7) {
    core::ShardState& at = state_of(node);
    const auto [handle, msg] = at.messages.make();
    msg->self = at.name(handle);
    msg->routed = true;
    msg->header = header(payload, bits);
    msg->from = &at.peers.use_ni(tcp(1), 8);
    msg->state = core::MsgState::kBuffered;
    made_.emplace_back(&node, msg->self);
    return *msg;
  }
  core::Msg& message(std::uint32_t payload = 100, std::uint64_t bits = 7) {
    return message_at(r, payload, bits);
  }
  /// A header like `what` comes to a router from `hop`, at the NI of that net.
  void comes_to(SimNode& node, const wire::LnetHeader& what, const Nid& hop,
                core::Actions actions = {}) {
    core::HeaderArrived arrived;
    for (const auto& ni : state_of(node).nis.find(hop.net())->nis) arrived.ni = ni->config.id;
    arrived.hop = {hop, Pid::lustre()};
    arrived.header = &what;
    step_at(node, arrived, std::move(actions));
  }
  static core::Send send(const core::Msg& msg, const Nid& hop) {
    core::Send made;
    made.hop = {hop, Pid::lustre()};
    made.header = msg.header;
    made.payload.length = msg.header.payload_length;
    made.tx = msg.self;
    return made;
  }

  /// PUTs of all sizes and their ACKs cross the router r.
  void sound_messages_cross() {
    std::vector<char> from(1 << 20), to(1 << 20);
    acquaint(a, b.nid());
    acquaint(b, a.nid());
    const iovec sink_memory{to.data(), to.size()};
    MdSpec post;
    post.fragments = {&sink_memory, 1};
    post.options = kOpPut | kManageRemote;
    post.sink = &sink;
    const auto me = b.me_attach({5}, {}, {7}, {}, UnlinkMode::kRetain, InsertPosition::kAfter);
    ASSERT_TRUE(b.md_attach(me.value(), post, UnlinkMode::kRetain).has_value());
    for (const std::size_t bytes : {0U, 100U, 4096U, 4097U, 1U << 20, 1U << 20}) {
      const iovec memory{from.data(), bytes};
      MdSpec spec;
      spec.fragments = {&memory, 1};
      spec.threshold = 2;
      spec.sink = &sink;
      PutRequest request;
      request.md = a.md_bind(spec, UnlinkMode::kUnlink).value();
      request.target = b.id();
      request.portal = {5};
      request.match_bits = {7};
      request.ack = AckRequest::kAck;
      ASSERT_TRUE(a.put(request).has_value());
    }
    ASSERT_TRUE(world.run_until_quiet({.time = hours(1)}).reached());
    EXPECT_GE(state.counters.global.route_count, 12U);
    world.check_at_rest();
  }
  /// The text of the first violation; empty without a violation.
  std::string said() const { return world.violation() ? world.violation()->what : std::string(); }

  Silent sink;
  World world{1};
  Checker& checker;
  SimNode &a, &b, &r, &s;
  core::ShardState& state;  ///< of r

 private:
  std::vector<std::pair<SimNode*, core::MsgTicket>> made_;
};

}  // namespace ulnet::sim
