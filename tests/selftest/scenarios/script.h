// The vocabulary of the selftest's scenarios: a world of nodes that all run the selftest; node 0
// sends single RPCs, as a console would.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/checkers/all.h"
#include "sim/world/acquaint_fixture.h"
#include "sim/world/selftest_host.h"

namespace ulnet::sim {

using namespace wire;
using std::chrono::milliseconds;
using std::chrono::seconds;
using svc::selftest::RpcReply;
using svc::selftest::Selftest;
using svc::selftest::Settings;

/// An errno as a reply contains it.
inline std::uint32_t status(int code) { return static_cast<std::uint32_t>(code); }

struct Scene {
  unsigned nodes = 2;
  unsigned nis = 1;  ///< per node, all on one net
  DriverKind driver = DriverKind::kPipe;
  std::uint32_t partitions = 1;
  Settings settings{};
  WorldOptions world{};
};

class Script {
 public:
  explicit Script(std::uint64_t seed, const Scene& scene = {});
  /// Makes all nodes known to each other, so that none needs discovery.
  void acquaint_all();

  World& world() { return world_; }
  SimNode& node(std::size_t number) { return world_.node(number); }
  Selftest& selftest(std::size_t number) { return hosts_[number]->selftest(); }
  SelftestHost& host(std::size_t number) { return *hosts_[number]; }
  /// Kills the node's process, and its selftest with it.
  void crash(std::size_t number);

  /// The reply of node `to` to a request of node `from`.
  RpcReply ask(std::size_t to, LstBody body, std::vector<std::byte> offered = {},
               std::uint32_t features = kLstFeatures, std::size_t from = 0);
  template <class Reply>
  Reply ask_for(std::size_t to, LstBody body, std::vector<std::byte> offered = {}) {
    const RpcReply reply = ask(to, std::move(body), std::move(offered));
    EXPECT_EQ(reply.status, 0);
    const Reply* said = std::get_if<Reply>(&reply.message.body);
    EXPECT_NE(said, nullptr) << reply.message.body.index();
    return said != nullptr ? *said : Reply{};
  }

  // Requests about a session with batch 1. Each returns the status in the reply.
  LstSessionId session() { return {node(0).nid(), 4711}; }
  std::uint32_t make_session(std::size_t at);
  std::uint32_t remove_session(std::size_t at);
  std::uint32_t add_server(std::size_t at, LstService service);
  std::uint32_t add_client(std::size_t at, const std::vector<std::size_t>& servers,
                           const LstTest& test, std::size_t ni = 0);
  std::uint32_t run(std::size_t at);
  std::uint32_t stop(std::size_t at, bool abort);
  /// The number of client tests that run at the node.
  std::uint32_t running(std::size_t at);
  LstStatReply stat(std::size_t at);

  /// Runs the world until `condition()` is true; false when that takes longer than `limit`.
  template <class Condition>
  bool wait_for(Condition condition, Duration limit = seconds(120)) {
    const Instant end = world_.now() + limit;
    while (!condition() && world_.now() < end)
      if (!world_.step()) return condition();
    return condition();
  }
  bool wait_until_idle(std::size_t at);
  /// Stops every selftest whose node runs, and checks that nothing is left of it, neither in the
  /// selftest nor in LNet.
  void expect_nothing_left();

 private:
  World world_;
  Leftovers before_;
  std::vector<std::unique_ptr<SelftestHost>> hosts_;
};

/// A test of a client; each unit makes `loop` RPCs.
LstTest ping_test(std::uint32_t loop, std::uint32_t concurrency = 1);
LstTest brw_test(std::uint32_t loop, LstBrwBytes what, std::uint32_t concurrency = 1);

}  // namespace ulnet::sim
