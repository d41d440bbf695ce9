#include "lnet/os/link_watch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <sstream>
#include <string>
#include <thread>

#include "lnet/node/node.h"
#include "lnet/node/node_fixture.h"
#include "lnet/node/node_impl.h"

namespace ulnet::node {
namespace {

TEST(LinkWatch, StartsAndStopsWithAndWithoutAThread) {
  LinkWatch threaded;
  if (!threaded.start([] { return true; }, true)) GTEST_SKIP() << "no rtnetlink on this machine";
  threaded.stop();
  threaded.stop();
  LinkWatch polled;
  ASSERT_TRUE(polled.start([] { return true; }, false));
  polled.poll();
}

/// Switches a device, or an alias that has an address, of the calling thread's network namespace
/// up or down.
bool switch_device(const char* name, bool up) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, name);
  request.ifr_flags = static_cast<short>(up ? IFF_UP : 0);
  const bool done = ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  close(fd);
  return done;
}
/// Gives the loopback device the address 10.9.8.7, or removes it.
bool give_address(bool have) {
  if (!have) return switch_device("lo:1", false);
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo:1");
  sockaddr_in in{};
  in.sin_family = AF_INET;
  inet_pton(AF_INET, "10.9.8.7", &in.sin_addr);
  std::memcpy(&request.ifr_addr, &in, sizeof in);
  const bool done = ioctl(fd, SIOCSIFADDR, &request) == 0;
  close(fd);
  return done;
}

/// Calls `story(becomes, node)` in a network namespace of its own, in which `node` has an NI at
/// `address`; becomes(up) waits until the NI is up, or down. `prepare`: a shell command that runs
/// there first.
template <class Fn>
void with_ni_alone(const char* address, Fn story, const char* prepare = "true") {
  bool skipped = false;
  std::thread alone([&] {
    if (unshare(CLONE_NEWNET) != 0 || !switch_device("lo", true) || !give_address(true) ||
        std::system(prepare) != 0) {
      skipped = true;
      return;
    }
    NodeOptions options;
    options.mode = Mode::kInline;
    options.params = {{"accept", "trust"}};
    auto node = Node::start(options);
    ASSERT_TRUE(node) << node.error().reason;
    conf::NiItem ni;
    ni.interface = address;
    ASSERT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
    const auto becomes = [&](bool up) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while ((*node)->state().nis[1].up != up && std::chrono::steady_clock::now() < end)
        (*node)->progress(std::chrono::milliseconds(5));
      return (*node)->state().nis[1].up == up;
    };
    story(becomes, **node);
  });
  alone.join();
  if (skipped) GTEST_SKIP() << "needs a network namespace of its own (root), and may need ip";
}

/// The number in column `column` (counted from 0) for the one netlink socket in `list`, which is
/// /proc/thread-self/net/netlink, opened; the greatest, if there are several sockets.
unsigned long netlink_column(int list, int column) {
  std::array<char, 16384> text{};
  const ssize_t size = pread(list, text.data(), text.size(), 0);
  std::istringstream lines(std::string(text.data(), static_cast<std::size_t>(std::max(size, 0L))));
  std::string line, word;
  std::getline(lines, line);  // the heading
  unsigned long most = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    for (int i = 0; i < column; ++i) words >> word;
    unsigned long number = 0;
    words >> number;
    most = std::max(most, number);
  }
  return most;
}
/// Whether a netlink socket has data to read.
bool netlink_waits(int list) { return netlink_column(list, 4) != 0; }
/// How many messages the kernel has dropped.
unsigned long netlink_drops(int list) { return netlink_column(list, 8); }

/// Calls `story(list)` in a network namespace of its own, with the list of its netlink sockets.
template <class Fn>
void alone_with_list(Fn story) {
  bool skipped = false;
  std::thread alone([&] {
    if (unshare(CLONE_NEWNET) != 0 || !switch_device("lo", true) || !give_address(true)) {
      skipped = true;
      return;
    }
    const int list = open("/proc/thread-self/net/netlink", O_RDONLY);
    story(list);
    close(list);
  });
  alone.join();
  if (skipped) GTEST_SKIP() << "needs a network namespace of its own (root)";
}

/// Makes more changes than the kernel keeps messages for; in the end the address is there.
void make_too_many_changes(int list) {
  const auto before = netlink_drops(list);
  for (int i = 0; i < 100'000 && netlink_drops(list) == before; ++i)
    for (const bool have : {false, true}) ASSERT_TRUE(give_address(have));
  ASSERT_GT(netlink_drops(list), before);
}

TEST(LinkWatch, AnOverrunIsReportedAtOnceAndNothingAfterItIsMissed) {
  alone_with_list([](int list) {
    int notices = 0;
    LinkWatch watch;
    ASSERT_TRUE(watch.start([&] { return ++notices != 0; }, false));
    make_too_many_changes(list);
    watch.poll();
    EXPECT_EQ(notices, 1);
    EXPECT_FALSE(netlink_waits(list))
        << "the socket does not report changes from before the overrun again";
    watch.poll();
    EXPECT_EQ(notices, 1);
    for (const bool have : {false, true}) ASSERT_TRUE(give_address(have));
    watch.poll();
    EXPECT_EQ(notices, 2);
  });
}

TEST(LinkWatch, FailedReadsAreRepeated) {
  alone_with_list([](int) {
    int notices = 0;
    LinkWatch watch;
    ASSERT_TRUE(watch.start([&] { return ++notices == 3; }, false));
    for (const bool have : {false, true}) ASSERT_TRUE(give_address(have));
    for (int i = 0; i < 10; ++i) watch.poll();
    EXPECT_EQ(notices, 3);
    watch.stop();
    std::promise<void> read;
    std::atomic<int> calls = 0;
    LinkWatch threaded;
    const auto look = [&] {
      if (++calls == 3) read.set_value();
      return calls == 3;
    };
    ASSERT_TRUE(threaded.start(look, true));
    for (const bool have : {false, true}) ASSERT_TRUE(give_address(have));
    EXPECT_EQ(read.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  });
}

TEST(LinkWatch, AnNiWhoseDeviceGoesDownIsDownUntilItComesBack) {
  with_ni_alone("127.0.0.1", [](auto becomes, Node&) {
    EXPECT_TRUE(becomes(true));
    ASSERT_TRUE(switch_device("lo", false));
    EXPECT_TRUE(becomes(false));
    ASSERT_TRUE(switch_device("lo", true));
    EXPECT_TRUE(becomes(true));
  });
}

TEST(LinkWatch, AnNiWhoseAddressGoesIsDownUntilItComesBack) {
  with_ni_alone("10.9.8.7", [](auto becomes, Node&) {
    EXPECT_TRUE(becomes(true));
    ASSERT_TRUE(give_address(false));
    EXPECT_TRUE(becomes(false));
    ASSERT_TRUE(give_address(true));
    EXPECT_TRUE(becomes(true));
    const int list = open("/proc/thread-self/net/netlink", O_RDONLY);
    make_too_many_changes(list);
    close(list);
    ASSERT_TRUE(give_address(false));
    EXPECT_TRUE(becomes(false));
  });
}

TEST(LinkWatch, AnNiThatIsAddedWithoutACarrierIsDownFromTheBeginning) {
  with_ni_alone(
      "10.9.9.1",
      [](auto becomes, Node& node) {
        EXPECT_FALSE(node.state().nis[1].up);
        ASSERT_EQ(std::system("ip link set far up"), 0);
        EXPECT_TRUE(becomes(true));
      },
      "ip link add near type veth peer name far && ip address add 10.9.9.1/24 dev near && "
      "ip link set near up");
}

TEST(LinkWatch, AnNiWhoseLinkIsSlowerThanAtItsStartIsDegraded) {  // spec/multirail.md 7
  with_ni_alone("10.9.8.7", [](auto becomes, Node& node) {
    EXPECT_TRUE(becomes(true));
    std::uint32_t speed = 1000;
    static_cast<NodeImpl&>(node).ask_for_link_speeds([&](const std::string&) { return speed; });
    const auto life_cycle_after_change = [&] {
      // The machine reports a change, whichever it is.
      EXPECT_TRUE(give_address(false) && becomes(false));
      EXPECT_EQ(node.state().nis[1].stats.life_cycle, core::NiLifeState::kFailed);
      EXPECT_EQ(node.state().nis[1].stats.net_life_cycle, core::NetLifeState::kInactive);
      EXPECT_EQ(node.state().nis[1].stats.fatal_error, true);
      EXPECT_EQ(node.state().nis[1].stats.health_value, 1000);
      EXPECT_TRUE(give_address(true) && becomes(true));
      EXPECT_EQ(node.state().nis[1].stats.net_life_cycle, core::NetLifeState::kActive);
      return node.state().nis[1].stats.life_cycle;
    };
    EXPECT_EQ(life_cycle_after_change(), core::NiLifeState::kCreated);
    speed = 100;
    EXPECT_EQ(life_cycle_after_change(), core::NiLifeState::kDegraded);
    EXPECT_TRUE(in_recovery(node, true).empty());
    speed = 2500;
    EXPECT_EQ(life_cycle_after_change(), core::NiLifeState::kCreated);
    static_cast<NodeImpl&>(node).ask_for_link_speeds(
        [](const std::string&) { return std::optional<std::uint32_t>(); });
  });
}

/// The node looks at a change of the machine's addresses while no descriptor is free.
template <class Fn>
void look_without_a_descriptor(Node& node, Fn change) {
  const int list = open("/proc/thread-self/net/netlink", O_RDONLY);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  change();
  ASSERT_TRUE(netlink_waits(list));
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  while (netlink_waits(list)) node.progress(std::chrono::milliseconds(5));
  EXPECT_TRUE(node.state().nis[1].up);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  close(list);
}

// If the system cannot report the state of its links, they do not count as down.
TEST(LinkWatch, WithoutAFreeDescriptorAnNiStaysAsItIs) {
  if (kChecksNeedDescriptors) GTEST_SKIP() << "the sanitizer takes the node for dead without one";
  with_ni_alone("10.9.8.7", [](auto becomes, Node& node) {
    EXPECT_TRUE(becomes(true));
    look_without_a_descriptor(node, [] {
      for (const bool have : {false, true}) ASSERT_TRUE(give_address(have));
    });
    ASSERT_TRUE(give_address(false));
    EXPECT_TRUE(becomes(false));
  });
}

// The node cannot read the state after the change, and no other change follows.
TEST(LinkWatch, AnAddressThatGoesWhileNoDescriptorIsFreeIsMissedLater) {
  if (kChecksNeedDescriptors) GTEST_SKIP() << "the sanitizer takes the node for dead without one";
  with_ni_alone("10.9.8.7", [](auto becomes, Node& node) {
    EXPECT_TRUE(becomes(true));
    look_without_a_descriptor(node, [] { ASSERT_TRUE(give_address(false)); });
    EXPECT_TRUE(becomes(false));
  });
}

// With ip_nonlocal_bind, which hosts that share an address use, a socket can be bound to every
// address.
TEST(LinkWatch, AnAddressThatGoesIsMissedEvenIfItCanStillBeBoundTo) {
  with_ni_alone(
      "10.9.8.7",
      [](auto becomes, Node&) {
        EXPECT_TRUE(becomes(true));
        ASSERT_TRUE(give_address(false));
        EXPECT_TRUE(becomes(false));
        ASSERT_TRUE(give_address(true));
        EXPECT_TRUE(becomes(true));
      },
      "echo 1 > /proc/sys/net/ipv4/ip_nonlocal_bind");
}

}  // namespace
}  // namespace ulnet::node
