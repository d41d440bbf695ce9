// The driver on several CPU partitions. Source: spec/core-semantics.md 13.3, DESIGN.md 3.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "lnet/lnd/placing_fixture.h"
#include "lnet/lnd/sock/sock_lnd_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace test;

// spec/core-semantics.md 13.3: a thread of the peer's partition reads its connections; the driver
// uses only the partitions to which the NI is bound.
TEST(SockLnd, APeerIsReadOnItsPartition) {
  const Placing placing{4, by_last_byte, [](std::uint32_t partition) {
                          CountingInlet::this_partition = static_cast<int>(partition);
                        }};
  Node free(1, trusting_tunables(), Threads::kOwn, placing);
  Node bound(2, trusting_tunables(), Threads::kOwn, placing, {1, 3});
  std::vector<std::unique_ptr<Node>> others;
  std::vector<Node*> nodes;
  for (unsigned i = 0; i < 4; ++i) {
    others.push_back(std::make_unique<Node>(20 + i, trusting_tunables()));
    nodes.push_back(others.back().get());
    nodes.back()->put(free.ni.nid, 1);
    nodes.back()->put(bound.ni.nid, 2);
  }
  EXPECT_TRUE(until(nodes, [&] { return free.inlet.headers == 4 && bound.inlet.headers == 4; }));
  for (unsigned i = 0; i < 4; ++i) {
    const Nid& peer = nodes[i]->ni.nid;
    EXPECT_EQ(free.inlet.delivered_by(peer), static_cast<int>(i));
    EXPECT_EQ(bound.inlet.delivered_by(peer), i % 2 == 0 ? 1 : 3);
    free.put(peer, 100 + i);
    bound.put(peer, 100 + i);
  }
  EXPECT_TRUE(until(nodes, [&] {
    for (Node* node : nodes)
      if (node->inlet.headers != 2) return false;
    return true;
  })) << "and written to on the same connection";
  EXPECT_EQ(free.count("dialled") + bound.count("dialled"), 0u);
}

// lnet/lnd/lnd.h: flush() carries out what the calling thread submitted, flush_all() what any
// thread submitted.
TEST(SockLnd, FlushAllCoversOtherThreads) {
  Node several(1, trusting_tunables(), Threads::kOwn, {4, by_last_byte, {}});
  Node other(23, trusting_tunables());
  std::thread([&] {
    for (std::uint32_t slot = 1; slot <= 3; ++slot) {
      core::Send send;
      send.ni = {1};
      send.hop = {other.ni.nid, Pid::lustre()};
      send.header.dest_nid = other.ni.nid;
      send.header.src_nid = several.ni.nid;
      send.header.dest_pid = send.header.src_pid = Pid::lustre();
      send.header.part = wire::GetPart{};
      send.tx = {slot, 1};
      several.driver->submit(std::move(send));
    }
  }).join();
  several.driver->flush_all();
  EXPECT_TRUE(until({&other}, [&] { return other.inlet.headers == 3; }));
}

}  // namespace
}  // namespace ulnet::lnd::sock
