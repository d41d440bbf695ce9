// For tests: two nodes of one process on loopback addresses of their own, in either mode.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lnet/base/assert.h"
#include "lnet/base/sanitizers_fixture.h"
#include "lnet/node/node.h"

namespace ulnet::node {

/// Whether the undefined-behaviour sanitizer checks calls of virtual functions. The check opens a
/// pipe to see whether the object can be read, and reports a live object as dead when no
/// descriptor is free. It is built in together with the address sanitizer (CMakePresets.json).
inline constexpr bool kChecksNeedDescriptors = kAddressSanitizer;

using namespace conf::change;

inline conf::Change add_route(const core::Route& route) { return AddRoutes{{{route}}}; }

/// "0", or the error's code and reason.
template <class Value>
std::string said(const Result<Value>& result) {
  return result ? "0" : std::to_string(result.error().code) + " " + result.error().reason;
}

/// A TCP port on which no socket listens.
inline std::string free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  sockaddr generic{};
  std::memcpy(&generic, &in, sizeof in);
  socklen_t length = sizeof generic;
  ULNET_ASSERT(fd >= 0 && bind(fd, &generic, length) == 0 &&
               getsockname(fd, &generic, &length) == 0);
  std::memcpy(&in, &generic, sizeof in);
  close(fd);
  return std::to_string(ntohs(in.sin_port));
}

/// Addresses that only this test uses: 127.a.b.1, 127.a.b.2, ...
inline std::string own_address(unsigned host) {
  static std::atomic<unsigned> next{0};
  static thread_local unsigned mine = 0;
  if (host <= 1) mine = next++;
  const unsigned subnet = (static_cast<unsigned>(getpid()) * 64 + mine) % 60000;
  return "127." + std::to_string(16 + subnet / 250) + "." + std::to_string(1 + subnet % 250) + "." +
         std::to_string(host);
}

/// How many CPU partitions a node with threads of its own has. The same tests run with one and
/// with several.
inline std::uint32_t partitions_of_a_node() {
  static const char* const text = std::getenv("ULNET_TEST_SHARDS");
  return text == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// A machine with two CPUs per partition. Each thread reports a CPU of its own, in turn.
inline MachineView machine_of(std::uint32_t partitions) {
  return {"pack:1 core:" + std::to_string(partitions) + " pu:2", [] {
            static std::atomic<std::uint32_t> threads{0};
            static thread_local const std::uint32_t mine = threads++;
            return mine;
          }};
}

/// What several sinks and a test share: a lock, and a condition variable that every event
/// notifies.
struct Bell {
  std::mutex mutex;
  std::condition_variable rung;
};

/// Records every event; `then` runs in the handler, outside the lock.
class Recorder : public EventSink {
 public:
  explicit Recorder(Bell& bell) : bell_(bell) {}
  void on_event(const Event& event) override {
    if (then) then(event);
    const std::lock_guard lock(bell_.mutex);
    events.push_back(event);
    bell_.rung.notify_all();
  }
  // With the bell's lock held:
  unsigned count(EventType type) const {
    unsigned n = 0;
    for (const Event& e : events) n += e.type == type;
    return n;
  }
  bool ended() const { return !events.empty() && events.back().unlinked; }

  std::vector<Event> events;
  std::function<void(const Event&)> then;

 private:
  Bell& bell_;
};

/// Records what a node logs: NodeOptions::log and log_context. Any thread.
struct LogLines {
  static void keep(void* context, int level, const char* line) {
    auto& log = *static_cast<LogLines*>(context);
    const std::lock_guard lock(log.mutex);
    log.lines.emplace_back(level, line);
  }
  /// How many lines contain this text, of any level or only of `level`.
  std::size_t with(const std::string& text, std::optional<int> level = {}) {
    const std::lock_guard lock(mutex);
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const auto& l) {
      return (!level || l.first == *level) && l.second.find(text) != std::string::npos;
    }));
  }
  std::mutex mutex;
  std::vector<std::pair<int, std::string>> lines;
};

/// All fault rules of the node, in the order in which it applies them.
inline std::vector<core::FaultRow> faults_of(Node& node) {
  return core::ask(node, core::call::FaultShow{}).value().rows;
}

/// All peers that the node knows.
inline std::vector<core::PeerShow> peers_of(Node& node) {
  std::vector<core::PeerShow> all;
  node.for_each_peer({}, [&](const core::PeerShow& peer) {
    all.push_back(peer);
    return true;
  });
  return all;
}

class TwoNodes : public testing::TestWithParam<Mode> {
 public:
  static constexpr NetId kNet{NetType::kTcp, 0};
  static constexpr Portal kPortal{9};

  void SetUp() override {
    port_ = free_port();
    address_a_ = own_address(1);
    address_b_ = own_address(2);
    a_ = start(address_a_);
    b_ = start(address_b_);
    id_a_ = a_->get_id(1, false).value();
    id_b_ = b_->get_id(1, false).value();
  }
  void TearDown() override { stop_both(); }
  /// A test that keeps sinks and memory on its stack calls this last: afterwards no handler runs
  /// and nothing is written.
  void stop_both() {
    if (a_) a_->stop(std::chrono::seconds(0));
    if (b_) b_->stop(std::chrono::seconds(0));
  }

  NodeOptions options() const {
    NodeOptions options;
    options.mode = GetParam();
    options.params = {{"accept", "trust"}, {"accept_port", port_}, {"accept_port_bulk", port_}};
    if (!polled()) options.params.emplace("cpu_npartitions", std::to_string(partitions_));
    return options;
  }
  Result<std::unique_ptr<Node>> start(const NodeOptions& options) const {
    return Node::start(options, machine_of(partitions_));
  }
  std::unique_ptr<Node> start(const std::string& address) {
    auto node = start(options());
    EXPECT_TRUE(node) << node.error().reason;
    conf::NiItem ni;
    ni.interface = address;
    const auto added = (*node)->change(AddNi{kNet, ni});
    EXPECT_TRUE(added) << added.error().reason;
    return *std::move(node);
  }

  bool polled() const { return GetParam() == Mode::kInline; }
  /// True when `condition` (under the bell's lock) held within a minute. In inline mode this thread
  /// polls both nodes.
  template <class Condition>
  bool until(Condition condition) {
    std::unique_lock lock(bell_.mutex);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    if (!polled()) return bell_.rung.wait_until(lock, end, condition);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      lock.unlock();
      a_->progress(std::chrono::microseconds(100));
      b_->progress(std::chrono::microseconds(0));
      lock.lock();
    }
    return true;
  }

  static MdSpec spec(const iovec& memory, EventSink& sink, std::uint32_t options = 0) {
    MdSpec s;
    s.fragments = std::span(&memory, 1);
    s.options = options;
    s.sink = &sink;
    return s;
  }
  /// A passive MD behind an ME that takes everything with these match bits.
  static MdHandle target(Node& node, const iovec& memory, EventSink& sink, std::uint32_t options,
                         std::uint64_t bits = 1, UnlinkMode unlink = UnlinkMode::kRetain,
                         std::uint32_t max_size = 0) {
    const auto me = node.me_attach(kPortal, ProcessId{}, MatchBits{bits}, MatchBits{0},
                                   UnlinkMode::kUnlink, InsertPosition::kAfter);
    EXPECT_TRUE(me) << me.error().reason;
    MdSpec s = spec(memory, sink, options);
    s.max_size = max_size;
    const auto md = node.md_attach(*me, s, unlink);
    EXPECT_TRUE(md) << md.error().reason;
    return *md;
  }
  static PutRequest put(MdHandle md, const ProcessId& to, AckRequest ack, std::uint64_t bits = 1) {
    PutRequest request;
    request.md = md;
    request.target = to;
    request.portal = kPortal;
    request.match_bits = MatchBits{bits};
    request.ack = ack;
    return request;
  }

  std::uint32_t partitions_ = partitions_of_a_node();
  Bell bell_;
  std::string port_, address_a_, address_b_;
  ProcessId id_a_, id_b_;
  std::unique_ptr<Node> a_, b_;
};

inline std::string mode_name(const testing::TestParamInfo<Mode>& info) {
  return info.param == Mode::kInline   ? "Inline"
         : info.param == Mode::kShared ? "Shared"
                                       : "Dedicated";
}

}  // namespace ulnet::node
