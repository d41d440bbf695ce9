// The driver on real sockets of the loopback device: what the tests of the machines cannot show.
// Each test process has addresses of its own.
#include "lnet/lnd/sock/sock_lnd.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "lnet/lnd/memory_short.h"
#include "lnet/lnd/sock/reactor/address_claim.h"
#include "lnet/lnd/sock/reactor/sockets.h"
#include "lnet/lnd/sock/sock_lnd_fixture.h"
#include "lnet/wire/acceptor.h"
#include "lnet/wire/ksock_hello.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using namespace test;

/// A TCP connection to a node's acceptor, without the driver.
Descriptor plain_connection(unsigned last, std::uint16_t port = 22988) {
  Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, own(last).c_str(), &to.sin_addr);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) fd.reset();
  return fd;
}

// spec/wire-socklnd.md 2: each NI address has one listening socket, and a second one if bulk
// connections have another port
TEST(SockLnd, ListensOnItsOwnAddressesAndPortsOnly) {  // spec/wire-socklnd.md 11
  SockTunables t = trusting_tunables();
  t.accept_port_bulk = 22989;
  Node node(1, t);
  EXPECT_TRUE(plain_connection(1));
  EXPECT_TRUE(plain_connection(1, 22989));
  EXPECT_FALSE(plain_connection(2));
  ASSERT_TRUE(node.driver->start_ni(Node::spec(2, 2)));
  EXPECT_TRUE(plain_connection(2));
  node.driver->stop_ni({2});
  EXPECT_FALSE(plain_connection(2));
}

// spec/wire-socklnd.md 2.1: accept=none has no listener
TEST(SockLnd, AcceptNoneHasNoListener) {
  SockTunables t = trusting_tunables();
  t.accept = Accept::kNone;
  const Node node(1, t);
  EXPECT_FALSE(plain_connection(1));
  EXPECT_EQ(node.ni.accept_note, "");
}

// spec/wire-socklnd.md 2.1: a secure acceptor closes without a byte; the dialling side's
// trouble() explains it
TEST(SockLnd, SecureRefusesAnUnprivilegedPort) {
  SockTunables t = trusting_tunables();
  t.accept = Accept::kSecure;
  Node node(1, t);
  const Descriptor fd = plain_connection(1);
  ASSERT_TRUE(fd);
  EXPECT_TRUE(until({&node}, [&] { return node.count("refused_unprivileged") == 1; }));
  char byte = 0;
  EXPECT_LE(::recv(fd.get(), &byte, 1, 0), 0);
}

// A refused connection is reset if bytes came that were not read, as TCP does when a socket with
// unread bytes is closed; else it is closed normally.
TEST(SockLnd, ARefusalThatLeavesSomethingUnreadIsAReset) {
  Node node(1, trusting_tunables());
  const auto refused = [&](const std::string& words) {
    const Descriptor fd = plain_connection(1);
    EXPECT_EQ(::send(fd.get(), words.data(), words.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(words.size()));
    char byte = 0;
    ssize_t got = -1;
    EXPECT_TRUE(until({&node}, [&] {
      got = ::recv(fd.get(), &byte, 1, MSG_DONTWAIT);
      return got >= 0 || errno != EAGAIN;
    }));
    return got == 0 ? 0 : errno;
  };
  EXPECT_EQ(refused("nonsense, and much more of it"), ECONNRESET);
  EXPECT_EQ(refused("nons"), 0) << "a magic";
}

// spec/wire-socklnd.md 2.1: source ports are tried from 1023 down to 512, if the process may use
// them; else any port, if the tunable allows it
TEST(SockLnd, DialsFromPrivilegedPorts) {  // spec/wire-socklnd.md 13.1
  const Endpoint here{*parse_address(own(9)), 22988};
  const auto listener = listen_on(here, trusting_tunables());
  ASSERT_TRUE(listener) << listener.error().reason;
  const DialStart dial = start_dial({*parse_address(own(8)), here, -1}, trusting_tunables());
  ASSERT_EQ(dial.error, 0);
  Endpoint from;
  int error = EAGAIN;
  Descriptor accepted;
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!accepted && std::chrono::steady_clock::now() < deadline)
    accepted = accept_next(listener->get(), from, error);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(from.address, *parse_address(own(8))) << "from the NI's address";
  if (dial.unprivileged) {
    EXPECT_GT(from.port, 1023);
    SockTunables strict = trusting_tunables();
    strict.unprivileged_connect = 0;
    EXPECT_EQ(start_dial({*parse_address(own(8)), here, -1}, strict).error, EACCES);
  } else {
    EXPECT_EQ(from.port, 1023) << "the first one tried";
    const DialStart second = start_dial({*parse_address(own(8)), here, -1}, trusting_tunables());
    EXPECT_EQ(second.error, 0) << "the next one: 1023 is taken";
  }
}

// spec/wire-socklnd.md 2, 11: nagle, keepalive_*, buffer sizes, tos and congestion are set on the
// socket
TEST(SockLnd, SetsTheOptionsOfAConnection) {
  const auto option = [](int fd, int level, int name) {
    int value = -1;
    socklen_t length = sizeof value;
    getsockopt(fd, level, name, &value, &length);
    return value;
  };
  const Descriptor plain(::socket(AF_INET, SOCK_STREAM, 0));
  SockTunables t;
  set_options(plain.get(), t, -1);
  EXPECT_EQ(option(plain.get(), IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(plain.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(plain.get(), IPPROTO_TCP, TCP_KEEPIDLE), 30);
  EXPECT_EQ(option(plain.get(), IPPROTO_TCP, TCP_KEEPINTVL), 5);
  EXPECT_EQ(option(plain.get(), IPPROTO_TCP, TCP_KEEPCNT), 5);
  EXPECT_EQ(option(plain.get(), IPPROTO_IP, IP_TOS), 0);

  const Descriptor watched(::socket(AF_INET, SOCK_STREAM, 0));
  t.keepalive_idle = 7;
  t.keepalive_intvl = 3;
  t.keepalive_count = 9;
  set_options(watched.get(), t, -1);
  EXPECT_EQ(option(watched.get(), IPPROTO_TCP, TCP_KEEPIDLE), 7);
  EXPECT_EQ(option(watched.get(), IPPROTO_TCP, TCP_KEEPINTVL), 3);
  EXPECT_EQ(option(watched.get(), IPPROTO_TCP, TCP_KEEPCNT), 9);

  const Descriptor tuned(::socket(AF_INET, SOCK_STREAM, 0));
  t.nagle = 1;
  t.keepalive_count = 0;
  t.tx_buffer_size = 20000;
  t.rx_buffer_size = 30000;
  t.congestion = "reno";
  set_options(tuned.get(), t, 0x20);
  EXPECT_EQ(option(tuned.get(), IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_EQ(option(tuned.get(), SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(option(tuned.get(), SOL_SOCKET, SO_SNDBUF), 40000) << "the system doubles";
  EXPECT_EQ(option(tuned.get(), SOL_SOCKET, SO_RCVBUF), 60000);
  EXPECT_EQ(option(tuned.get(), IPPROTO_IP, IP_TOS), 0x20);
  char name[16] = "";
  socklen_t length = sizeof name;
  getsockopt(tuned.get(), IPPROTO_TCP, TCP_CONGESTION, name, &length);
  EXPECT_STREQ(name, "reno");
}

TEST(SockLnd, AnUnknownCongestionControlIsRefused) {  // spec/wire-socklnd.md 2
  SockTunables t = trusting_tunables();
  t.congestion = "no_such_cc";
  CountingInlet inlet;
  SockLnd driver(inlet, t, Threads::kInline);
  const auto started = driver.start_ni(Node::spec(1, 1));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, -EINVAL);
}

// spec/wire-socklnd.md 4.5, 9, 13: two ulnet nodes can dial each other at the same time
TEST(SockLnd, TwoNodesThatDialEachOtherAtOnceAgree) {
  Node one(1, trusting_tunables());
  Node two(2, trusting_tunables());
  one.put(two.ni.nid, 1);
  two.put(one.ni.nid, 1);
  ASSERT_TRUE(
      until({&one, &two}, [&] { return one.inlet.headers == 1 && two.inlet.headers == 1; }));
  ASSERT_TRUE(until({&one, &two}, [&] { return one.inlet.ended(1) && two.inlet.ended(1); }));
  EXPECT_EQ(one.inlet.ended(1)->status, 0);
  EXPECT_EQ(two.inlet.ended(1)->status, 0);
  EXPECT_EQ(one.driver->trouble(two.ni.nid, -ETIMEDOUT), "");
}

// spec/wire-socklnd.md 10: the end of one connection closes all; what was written before it, on
// any of them, still arrives
TEST(SockLnd, BytesWrittenBeforeTheCloseArrive) {
  Node one(1, trusting_tunables());
  for (int round = 1; round <= 10; ++round) {
    Node two(2, trusting_tunables());
    two.put(one.ni.nid, 1);
    ASSERT_TRUE(until({&one, &two}, [&] { return two.count("opened") == 3; }));
    ASSERT_TRUE(until({&one, &two}, [&] { return one.inlet.headers == round * 3 - 2; }));
    std::vector<char> memory(5000);
    two.put(one.ni.nid, 2, memory);
    two.put(one.ni.nid, 3);
    ASSERT_TRUE(until({&two}, [&] { return two.inlet.ended(2) && two.inlet.ended(3); }));
    two.driver->stop_ni({1});
    ASSERT_TRUE(until({&one}, [&] { return one.inlet.downs == round; }));
    EXPECT_EQ(one.inlet.headers, round * 3);
  }
}

// Two NIs of different nets share an address, and its listening socket.
TEST(SockLnd, NisOfTwoNetsShareAnAddress) {
  Node one(1, trusting_tunables());
  Node two(2, trusting_tunables());
  NiSpec spec = Node::spec(7, 1);
  spec.net = {NetType::kTcp, 3};
  const auto shared = one.driver->start_ni(spec);
  ASSERT_TRUE(shared) << shared.error().reason;
  EXPECT_EQ(shared->nid.net().num, 3);
  two.put(shared->nid, 1);
  EXPECT_TRUE(until({&one, &two}, [&] { return one.inlet.headers == 1; }));
  one.driver->stop_ni({1});
  EXPECT_TRUE(plain_connection(1)) << "the other NI still listens";
}

// One address is one node, also where no node listens on a port. first-use-3 17
TEST(SockLnd, ASecondNodeAtAnAddressIsRefused) {  // spec/wire-socklnd.md 2.1
  SockTunables none = trusting_tunables();
  none.accept = Accept::kNone;
  for (const bool first_listens : {true, false})
    for (const bool second_listens : {true, false}) {
      CountingInlet inlet;
      SockLnd first(inlet, first_listens ? trusting_tunables() : none, Threads::kInline);
      SockLnd second(inlet, second_listens ? trusting_tunables() : none, Threads::kInline);
      ASSERT_TRUE(first.start_ni(Node::spec(1, 1)));
      NiSpec other_net = Node::spec(2, 1);
      other_net.net = {NetType::kTcp, 3};
      ASSERT_TRUE(first.start_ni(other_net)) << "NIs of one node share an address";
      // More claimants than the queue of a claim holds: the first node empties the queue.
      for (int i = 0; i < 2 * kClaimantsWaiting; ++i) {
        const auto refused = second.start_ni(Node::spec(1, 1));
        ASSERT_FALSE(refused);
        ASSERT_EQ(refused.error().code, -EADDRINUSE);
        ASSERT_NE(refused.error().reason.find("another node of this process"), std::string::npos)
            << refused.error().reason;
        first.progress(Duration{});
      }
      first.stop_ni({1});
      EXPECT_FALSE(second.start_ni(Node::spec(1, 1))) << "its other NI has the address";
      first.stop_ni({2});
      EXPECT_TRUE(second.start_ni(Node::spec(1, 1)));
    }
}

TEST(SockLnd, StartIsRefusedWithTheReason) {
  Node one(1, trusting_tunables());
  EXPECT_EQ(one.driver->start_ni(Node::spec(1, 5)).error().code, -EEXIST);
  EXPECT_EQ(one.driver->start_ni(Node::spec(2, 1)).error().code, -EEXIST);
  Node rival(3, trusting_tunables());
  CountingInlet inlet;
  SockLnd second(inlet, trusting_tunables(), Threads::kInline);
  const auto listener = listen_on({*parse_address(own(4)), 22988}, trusting_tunables());
  ASSERT_TRUE(listener) << listener.error().reason;
  const auto taken = second.start_ni(Node::spec(1, 4));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, -EADDRINUSE);
  EXPECT_NE(taken.error().reason.find("kernel"), std::string::npos) << taken.error().reason;
  NiSpec lo = Node::spec(9, 1);
  lo.net = NetId::loopback();
  EXPECT_EQ(one.driver->start_ni(lo).error().code, -EINVAL);
}

// IPv6: request version 2, hello version 4 (spec/wire-socklnd.md 3.2, 4.2)
TEST(SockLnd, SpeaksIpv6) {
  if (!check_local(*parse_address("::1"))) GTEST_SKIP() << "no IPv6 loopback here";
  CountingInlet inlet;
  SockTunables t = trusting_tunables();
  t.accept_port = t.accept_port_bulk = 20000 + getpid() % 10000;
  SockLnd driver(inlet, t, Threads::kInline);
  NiSpec spec;
  spec.id = {1};
  spec.net = {NetType::kTcp, 0};
  spec.interface = "::1";
  const auto started = driver.start_ni(spec);
  ASSERT_TRUE(started) << started.error().reason;
  core::Send send;
  send.ni = {1};
  send.hop = {started->nid, Pid::lustre()};
  send.header.dest_nid = send.header.src_nid = started->nid;
  send.header.dest_pid = send.header.src_pid = Pid::lustre();
  send.header.part = wire::GetPart{};
  send.tx = {1, 1};
  driver.submit(std::move(send));
  driver.flush();
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (inlet.headers == 0 && std::chrono::steady_clock::now() < deadline) driver.progress(100us);
  EXPECT_EQ(inlet.headers, 1);
}

// 2,000 connections say nothing; the traffic of other peers goes on.
TEST(SockLnd, TwoThousandSilentConnectionsDoNotDisturb) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 4200) GTEST_SKIP() << "too few descriptors";
  SockTunables t = trusting_tunables();
  t.accept_pending = 1500;
  Node one(1, t);
  Node two(2, trusting_tunables());
  std::vector<Descriptor> silent;
  for (int i = 0; i < 2000; ++i) {
    silent.push_back(plain_connection(1));
    if (i % 50 == 0) one.driver->progress({});
  }
  ASSERT_TRUE(until({&one}, [&] { return one.count("accepted") == 2000; }));
  EXPECT_EQ(one.count("refused_crowded"), 500U);
  two.put(one.ni.nid, 1);
  EXPECT_TRUE(until({&one, &two}, [&] { return one.inlet.headers == 1; }));
}

// No descriptor is free: a waiting connection is closed, the node stays up, and it accepts again
// when there are descriptors.
TEST(SockLnd, SurvivesWithoutDescriptors) {
  Node one(1, trusting_tunables());
  Node two(2, trusting_tunables());
  std::vector<Descriptor> clients;
  for (int i = 0; i < 20; ++i) clients.emplace_back(plain_connection(1));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(dup(0));  // the number of descriptors open now
  ::close(static_cast<int>(tight.rlim_cur));
  tight.rlim_cur += 5;
  setrlimit(RLIMIT_NOFILE, &tight);
  EXPECT_TRUE(until({&one}, [&] { return one.count("refused_no_descriptor") != 0; }));
  setrlimit(RLIMIT_NOFILE, &before);
  two.put(one.ni.nid, 1);
  EXPECT_TRUE(until({&one, &two}, [&] { return one.inlet.headers == 1; }));
}

// While the process is short of memory, connected peers go on and no new ones are accepted.
TEST(SockLnd, RefusesNewConnectionsWhileMemoryIsShort) {
  Node one(1, trusting_tunables());
  Node two(2, trusting_tunables());
  two.put(one.ni.nid, 1);
  ASSERT_TRUE(until({&one, &two}, [&] { return one.inlet.headers == 1; }));
  memory_is_short = true;
  const Descriptor refused = plain_connection(1);
  EXPECT_TRUE(until({&one}, [&] { return one.count("refused_no_memory") != 0; }));
  two.put(one.ni.nid, 1);
  EXPECT_TRUE(until({&one, &two}, [&] { return one.inlet.headers == 2; }));
  memory_is_short = false;
  const std::uint64_t before = one.count("accepted");
  const Descriptor welcome = plain_connection(1);
  EXPECT_TRUE(until({&one}, [&] { return one.count("accepted") > before; }));
}

// Over real sockets: a peer that dies during a handshake, or sends garbage.
TEST(SockLnd, GarbageOverRealSocketsIsCountedAndForgotten) {
  Node one(1, trusting_tunables());
  const Descriptor garbage = plain_connection(1);
  ASSERT_EQ(::send(garbage.get(), "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
  Descriptor half = plain_connection(1);
  ASSERT_EQ(::send(half.get(), "\x00\x71\xce\xac", 4, MSG_NOSIGNAL), 4);
  EXPECT_TRUE(until({&one}, [&] { return one.count("refused_bad_request") == 1; }));
  half.reset();
  EXPECT_TRUE(until({&one}, [&] { return one.count("refused_hung_up") == 1; }));
}

// spec/wire-socklnd.md 8: each start of the NI gives it an incarnation that is larger than the
// earlier ones, even if the clock was set back
TEST(SockLnd, TheIncarnationGrowsWithAnyClock) {  // spec/wire-socklnd.md 13.9
  CountingInlet inlet;
  constexpr std::uint64_t kFarFuture = 1ULL << 62;
  SockLnd driver(inlet, trusting_tunables(), Threads::kInline, kFarFuture);
  ASSERT_TRUE(driver.start_ni(Node::spec(1, 1)));
  EXPECT_EQ(driver.last_incarnation(), kFarFuture + 1);
  ASSERT_TRUE(driver.start_ni(Node::spec(2, 2)));
  EXPECT_EQ(driver.last_incarnation(), kFarFuture + 2);
}

// spec/wire-socklnd.md 11: sock_timeout, tos and conns_per_peer, set for the NI or for the driver
TEST(SockLnd, ReportsAndChangesTheTunablesInForce) {
  Node one(1, trusting_tunables());
  EXPECT_EQ(one.ni.timeout, 50s);
  EXPECT_EQ(one.ni.options, (NiOptions{{"conns_per_peer", 1}, {"tos", -1}}));
  EXPECT_EQ(one.ni.accept_note, "trust");
  const auto tuned = one.driver->tune_ni({1}, {{{"conns_per_peer", 4}}, Duration(7s)});
  ASSERT_TRUE(tuned);
  EXPECT_EQ(tuned->options, (NiOptions{{"conns_per_peer", 4}, {"tos", -1}}));
  EXPECT_EQ(tuned->timeout, 7s);
  EXPECT_EQ(one.driver->tune_ni({1}, {{{"conns_per_peer", 1000}}, {}}).error().code, -EINVAL);
  EXPECT_EQ(one.driver->tune_ni({1}, {{{"nagle", 1}}, {}}).error().code, -EINVAL) << "not an NI's";
  EXPECT_EQ(one.driver->tune_ni({9}, {}).error().code, -ENOENT);
  EXPECT_TRUE(one.driver->set_tunable("sock_timeout", "9"));
  EXPECT_EQ(one.driver->tune_ni({1}, {{}, Duration{}})->timeout, 9s) << "the driver's own now";
  EXPECT_EQ(one.driver->set_tunable("accept_port", "1").error().code, -EBUSY);
  EXPECT_EQ(one.driver->set_tunable("congestion", "no_such_cc").error().code, -EINVAL);
  EXPECT_EQ(one.driver->tunables().sock_timeout, 9);
}

// spec/wire-socklnd.md 11: nscheds. The driver spreads peers over the reactors; a reactor hands
// over a connection whose peer belongs to another one.
TEST(SockLnd, ManyReactorsShareThePeers) {
  SockTunables t = trusting_tunables();
  t.nscheds = 3;
  Node hub(1, t, Threads::kOwn);
  std::vector<std::unique_ptr<Node>> others;
  for (unsigned i = 0; i < 9; ++i) {
    others.push_back(std::make_unique<Node>(10 + i, trusting_tunables()));
    others.back()->put(hub.ni.nid, 1);
  }
  std::vector<Node*> nodes;
  for (auto& other : others) nodes.push_back(other.get());
  EXPECT_TRUE(until(nodes, [&] { return hub.inlet.headers == 9; }));
  for (unsigned i = 0; i < 9; ++i) hub.put(others[i]->ni.nid, 100 + i);
  EXPECT_TRUE(until(nodes, [&] {
    for (Node* node : nodes)
      if (node->inlet.headers != 1) return false;
    return true;
  }));
}

/// The value of TCP_QUICKACK of each connected socket of this process with this local address.
std::vector<int> quick_acks(unsigned last) {
  std::vector<int> all;
  in_addr wanted{};
  inet_pton(AF_INET, own(last).c_str(), &wanted);
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in local{}, peer{};
    socklen_t length = sizeof local;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&local), &length) != 0) continue;
    length = sizeof peer;
    if (local.sin_family != AF_INET || local.sin_addr.s_addr != wanted.s_addr) continue;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) != 0) continue;
    int quick = -1;
    length = sizeof quick;
    getsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &quick, &length);
    all.push_back(quick);
  }
  return all;
}

// spec/wire-socklnd.md 11: eager_ack, a bit per connection type. With the bit, a receiver's TCP
// acknowledges at once; without it later, several reads together or along with data.
TEST(SockLnd, EagerAckSaysHowBytesAreAcknowledged) {
  for (const bool eager : {true, false}) {
    SockTunables t = trusting_tunables();
    t.eager_ack = eager ? 15 : 0;
    Node one(1, t), two(2, t);
    std::uint32_t sent = 0;
    const bool seen = until({&one, &two}, [&] {
      if (sent < 1000 && two.inlet.headers == static_cast<int>(sent)) one.put(two.ni.nid, ++sent);
      const std::vector<int> acks = quick_acks(2);
      const bool some_quick = std::find(acks.begin(), acks.end(), 1) != acks.end();
      return sent > 10 && !acks.empty() && some_quick == eager;
    });
    EXPECT_TRUE(seen) << (eager ? "eager" : "not eager");
  }
}

}  // namespace
}  // namespace ulnet::lnd::sock
