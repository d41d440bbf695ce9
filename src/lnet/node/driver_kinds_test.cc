// Drivers that are not like TCP: polled ones, those that want to know the memory of MDs, and those
// with limits of their own. Source: lnet/lnd/lnd.h.
#include <gmock/gmock.h>
#include <sys/eventfd.h>

#include <map>
#include <thread>

#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

using testing::HasSubstr;

/// A driver that takes every NI and reports every Send as sent.
class Sender : public lnd::Lnd {
 public:
  explicit Sender(lnd::Inlet& inlet) : inlet_(inlet) {}
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override {
    lnd::NiStarted started;
    started.nid = *Nid::parse(spec.interface + "@" + spec.net.to_string());
    started.limits = limits;
    return started;
  }
  void stop_ni(core::NiId) override { send_all(); }
  void submit(lnd::Command&& command) override {
    const std::lock_guard lock(mutex_);
    if (const auto* send = std::get_if<core::Send>(&command)) sends_.push_back(send->tx);
  }
  void flush() override { send_all(); }

  lnd::MessageLimits limits;
  std::atomic<std::size_t> sent{0};  ///< how many messages it has reported as sent

 protected:
  bool send_all() {
    std::vector<core::MsgTicket> sends;
    {
      const std::lock_guard lock(mutex_);
      sends.swap(sends_);
    }
    for (const core::MsgTicket tx : sends) inlet_.deliver(core::SendDone{tx});
    sent += sends.size();
    return !sends.empty();
  }

 private:
  lnd::Inlet& inlet_;
  std::mutex mutex_;
  std::vector<core::MsgTicket> sends_;
};

/// The same, but it sends only when it is polled.
class PolledSender final : public Sender {
 public:
  PolledSender(lnd::Inlet& inlet, bool has_descriptor)
      : Sender(inlet), fd_(has_descriptor ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1) {}
  ~PolledSender() override {
    if (fd_ >= 0) close(fd_);
  }
  void flush() override {
    if (fd_ >= 0) eventfd_write(fd_, 1);
  }
  lnd::Progress progress_kind() const override { return lnd::Progress::kPolled; }
  bool progress(Duration) override {
    eventfd_t ignored = 0;
    if (fd_ >= 0) (void)eventfd_read(fd_, &ignored);
    return send_all();
  }
  int wait_descriptor() const override { return fd_; }
  Duration may_sleep() override {
    return fd_ >= 0 ? Duration::max() : Duration(std::chrono::milliseconds(1));
  }

 private:
  const int fd_;
};

NodeOptions options_of(Mode mode) {
  NodeOptions options;
  options.mode = mode;
  options.params = {{"cpu_npartitions", "1"}};
  return options;
}

std::unique_ptr<Node> node_with(const NodeOptions& options, MakeTrialDriver driver) {
  auto node = Node::start_trial(options, machine_of(1), std::move(driver)).value();
  conf::NiItem ni;
  ni.interface = "10.0.0.1";
  EXPECT_EQ(said(node->change(AddNi{{NetType::kTcp, 0}, ni})), "0");
  return node;
}

struct PolledCase {
  const char* name;
  Mode mode;
  bool has_descriptor;
};
class PolledDriver : public testing::TestWithParam<PolledCase> {};

TEST_P(PolledDriver, IsPolledByTheNode) {
  PolledSender* driver = nullptr;
  const auto node = node_with(options_of(GetParam().mode), [&](lnd::Inlet& inlet) {
    auto made = std::make_unique<PolledSender>(inlet, GetParam().has_descriptor);
    driver = made.get();
    return made;
  });
  MdSpec spec;
  PutRequest put;
  put.md = node->md_bind(spec, UnlinkMode::kRetain).value();
  put.target = {*Nid::parse("10.0.0.2@tcp"), Pid::lustre()};
  put.portal = {5};
  ASSERT_EQ(said(node->put(put)), "0");
  while (driver->sent == 0) {  // the ping before the first message to a peer
    if (node->polled())
      node->progress(std::chrono::seconds(1));
    else
      std::this_thread::yield();
  }
  EXPECT_EQ(node->state().nis.at(1).stats.traffic.sent.get, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, PolledDriver,
    testing::Values(PolledCase{"inline", Mode::kInline, true},
                    PolledCase{"inline_without_descriptor", Mode::kInline, false},
                    PolledCase{"shared", Mode::kShared, true},
                    PolledCase{"shared_without_descriptor", Mode::kShared, false},
                    PolledCase{"dedicated", Mode::kDedicated, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PolledDriverThread, IsAmongTheThreadsThatTheNodeMeasures) {
  const auto node = node_with(options_of(Mode::kShared), [](lnd::Inlet& inlet) {
    return std::make_unique<PolledSender>(inlet, true);
  });
  std::vector<std::string> threads;
  for (const auto& each : node->state().threads) threads.push_back(each.thread);
  EXPECT_THAT(threads, testing::ElementsAre("poll", "timekeeper"));
}

/// A driver that knows the memory of all MDs.
class MemoryKeeper final : public lnd::Lnd {
 public:
  struct Known {
    std::mutex mutex;
    std::map<std::uint64_t, std::vector<iovec>> attached;
  };
  explicit MemoryKeeper(Known& known) : known_(known) {}
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec&) override { return fail(-EPERM); }
  void stop_ni(core::NiId) override {}
  void submit(lnd::Command&&) override {}
  void flush() override {}
  bool wants_memory() const override { return true; }
  void attach_memory(MdHandle md, std::span<const iovec> fragments) override {
    const std::lock_guard lock(known_.mutex);
    known_.attached[md.cookie] = {fragments.begin(), fragments.end()};
  }
  void detach_memory(MdHandle md) override {
    const std::lock_guard lock(known_.mutex);
    EXPECT_EQ(known_.attached.erase(md.cookie), 1U);
  }

 private:
  Known& known_;
};

TEST(MemoryDriver, KnowsTheMemoryOfEachMdUntilItsLastEvent) {
  MemoryKeeper::Known known;
  NodeOptions options;
  options.mode = Mode::kInline;
  const auto node = Node::start_trial(options, {}, [&](lnd::Inlet&) {
                      return std::make_unique<MemoryKeeper>(known);
                    }).value();
  const std::size_t own = known.attached.size();  // the node's own MDs
  char bytes[64] = {};
  const std::vector<iovec> fragments = {{bytes, 8}, {bytes + 16, 8}, {bytes + 32, 32}};
  Bell bell;
  Recorder sink(bell);
  std::size_t at_the_end = 99;
  sink.then = [&](const Event& event) {
    if (event.unlinked) at_the_end = known.attached.size();
  };
  MdSpec spec;
  spec.fragments = fragments;
  spec.sink = &sink;
  const MdHandle md = node->md_bind(spec, UnlinkMode::kRetain).value();
  ASSERT_EQ(known.attached.size(), own + 1);
  const auto& attached = known.attached.at(md.cookie);
  ASSERT_EQ(attached.size(), 3U);
  EXPECT_EQ(attached[2].iov_base, bytes + 32);
  EXPECT_EQ(attached[2].iov_len, 32U);
  ASSERT_EQ(said(node->md_unlink(md)), "0");
  EXPECT_EQ(at_the_end, own) << "when the handler gets the memory back";
}

TEST(DriverLimits, BoundTheCreditsOfThePeers) {
  const auto node = node_with({}, [](lnd::Inlet& inlet) {
    auto driver = std::make_unique<Sender>(inlet);
    driver->limits.peer_credits = 3;
    driver->limits.immediate = 4096;
    return driver;
  });
  const auto state = node->state();
  EXPECT_EQ(state.nis.at(1).tunables.peer_credits, 3);
  EXPECT_EQ(state.nis.at(1).limits.immediate, 4096U);
  EXPECT_EQ(state.nis.at(0).limits.payload, limits::kMtu) << "lo has no limits of its own";
}

TEST(DriverLimits, AnNiThatCannotCarryLNetsMessagesIsRefused) {
  const auto node = Node::start_trial({}, {}, [](lnd::Inlet& inlet) {
                      auto driver = std::make_unique<Sender>(inlet);
                      driver->limits.payload = 65536;
                      return driver;
                    }).value();
  conf::NiItem ni;
  ni.interface = "10.0.0.1";
  const auto added = node->change(AddNi{{NetType::kTcp, 0}, ni});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, -EMSGSIZE);
  EXPECT_THAT(added.error().reason, HasSubstr("at most 65536 bytes in 256 fragments; LNet needs "
                                              "1048576 bytes in 256 fragments"));
  EXPECT_EQ(node->state().nis.size(), 1U);
}

}  // namespace
}  // namespace ulnet::node
