// For tests: nodes that follow the tables of spec/wire-selftest.md 3, without a network, on a clock
// that moves only when a test moves it. A test may make each node silent, slow, busy, old or
// stubborn.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "selftest/console/surroundings.h"

namespace ulnet::svc::selftest::console::test {

inline ProcessId node_id(std::uint32_t last) {
  return {Nid::small({NetType::kTcp, 0}, 0x0a630000U + last), Pid::lustre()};
}
inline const wire::LstSessionId kSomebody{.console = node_id(99).nid, .stamp = 4711};

struct FakeNode {
  // Set by a test:
  bool silent = false;
  Duration delay = std::chrono::milliseconds(1);
  std::uint32_t features = wire::kLstFeatures;  ///< features that the node knows
  /// abilities of a ulnet node; other nodes have none
  std::uint32_t abilities = 0;
  /// the latency that it reports for each of its tests; nothing: it reports none
  std::optional<Latency> latency;
  std::uint32_t refuse_tests = 0;  ///< the status of its reply to every TEST
  std::uint32_t lingers = 0;       ///< how many queries after a stop still show the test running
  wire::LstStatReply stat, grows;  ///< the counters, and what each sample adds to them
  // State of the node:
  wire::LstSessionId session;
  std::string session_name;
  std::uint32_t session_features = wire::kLstFeatures;
  std::uint32_t references = 0;
  struct Batch {
    std::vector<wire::LstTest> tests;
    std::vector<std::vector<ProcessId>> destinations;  ///< per test
    bool running = false;
    std::uint32_t stopping = 0;  ///< queries until it has stopped
  };
  std::map<std::uint64_t, Batch> batches;
  std::vector<wire::LstMessage> heard;

  bool has(const wire::LstSessionId& id) const { return !session.is_none() && session == id; }
  void join(const wire::LstSessionId& id, std::string name) {
    session = id;
    session_name = std::move(name);
    references = 1;
  }
};

class FakeNodes final : public Surroundings, private Caller {
 public:
  FakeNode& operator[](const ProcessId& id) { return find(id); }
  FakeNode& node(std::uint32_t last) { return find(node_id(last)); }

  // Surroundings
  Caller& caller() override { return *this; }
  Instant now() const override { return now_; }
  std::int64_t wall_ms() const override { return 1000 + wall_++; }
  Result<Nid> nid() override {
    if (no_nid) return fail(-EADDRNOTAVAIL, "no NID with a 4-byte address");
    return node_id(1).nid;
  }
  bool is_own(const Nid& nid) const override { return nid == node_id(1).nid; }
  std::optional<Latency> own_latency(const wire::LstSessionId&, std::uint64_t,
                                     std::uint32_t) const override {
    return own;
  }
  void after(Duration delay, std::function<void()> fn) override {
    due_.emplace(std::make_pair(now_ + delay, order_++), std::move(fn));
  }

  /// Lets time pass, and calls the timers and answers that are due, in order.
  void pass(Duration time) {
    const Instant end = now_ + time;
    while (!due_.empty() && due_.begin()->first.first <= end) {
      now_ = due_.begin()->first.first;
      const auto fn = std::move(due_.begin()->second);
      due_.erase(due_.begin());
      fn();
    }
    now_ = end;
  }
  /// Lets time pass until `over()` is true; returns false if that takes longer than an hour.
  template <class Over>
  bool pass_until(Over&& over) {
    for (int i = 0; i < 36'000 && !over(); ++i) pass(std::chrono::milliseconds(100));
    return over();
  }

  bool no_nid = false;
  std::optional<Latency> own;  ///< latency that the console's own node, node 1, reports
  std::size_t calls = 0;

 private:
  FakeNode& find(const ProcessId& id) {
    for (auto& [at, node] : nodes_)
      if (at == id) return *node;
    nodes_.emplace_back(id, std::make_unique<FakeNode>());
    return *nodes_.back().second;
  }

  void call(const ProcessId& to, wire::LstMessage request, std::vector<std::byte> offered,
            Duration timeout, std::function<void(const RpcReply&)> done) override {
    ++calls;
    FakeNode& node = find(to);
    if (node.silent || (timeout != Duration{} && node.delay > timeout))
      return after(timeout, [done = std::move(done)] { done({.status = -ETIMEDOUT}); });
    after(node.delay, [&node, request, offered, done] {
      node.heard.push_back(request);
      RpcReply reply{.message = answer(node, request, offered)};
      if (wire::lst_data_wanted(request) != 0 && reply.message.status() == 0)
        reply.data = histogram_of(node);
      done(reply);
    });
  }

  static wire::LstMessage answer(FakeNode& node, const wire::LstMessage& request,
                                 const std::vector<std::byte>& offered) {
    wire::LstMessage reply;
    reply.body = std::visit(
        [&](const auto& body) -> wire::LstBody {
          if constexpr (requires { serve(node, request.features, body, offered); }) {
            return serve(node, request.features, body, offered);
          } else {
            ADD_FAILURE() << "a console sends no such message";
            return wire::LstPing{};
          }
        },
        request.body);
    reply.features = node.session.is_none() ? node.features : node.session_features;
    return reply;
  }

  using Offered = std::vector<std::byte>;
  static wire::LstBody serve(FakeNode& node, std::uint32_t features,
                             const wire::LstMakeSession& ask, const Offered&) {
    const auto reply = [&](std::uint32_t status) {
      wire::LstMakeSessionReply made{.status = status,
                                     .session = node.session,
                                     .timeout = 100,
                                     .name = wire::LstName(node.session_name)};
      if (node.abilities != 0) made.sign = wire::lst_sign(made.session);
      made.abilities = node.abilities;
      return made;
    };
    if (node.has(ask.session)) return ++node.references, reply(0);
    if (!node.session.is_none() && ask.force == 0) return reply(EBUSY);
    if ((features & ~node.features) != 0) return reply(EPROTO);
    node.join(ask.session, std::string(ask.name.text()));
    node.session_features = features;
    node.batches.clear();
    return reply(0);
  }
  static wire::LstBody serve(FakeNode& node, std::uint32_t, const wire::LstRemoveSession& ask,
                             const Offered&) {
    if (node.session.is_none()) return wire::LstRemoveSessionReply{.status = ESRCH};
    if (!node.has(ask.session))
      return wire::LstRemoveSessionReply{.status = EBUSY, .session = node.session};
    if (--node.references == 0) node.session = {};
    return wire::LstRemoveSessionReply{.session = node.session};
  }
  static wire::LstBody serve(FakeNode& node, std::uint32_t, const wire::LstDebug&, const Offered&) {
    return wire::LstDebugReply{.status = node.session.is_none() ? std::uint32_t{ESRCH} : 0,
                               .session = node.session,
                               .timeout = 100,
                               .name = wire::LstName(node.session_name)};
  }
  static wire::LstBody serve(FakeNode& node, std::uint32_t features, const wire::LstTest& ask,
                             const Offered& offered) {
    const auto reply = [&](std::uint32_t status) {
      return wire::LstTestReply{.status = status, .session = node.session};
    };
    if (!node.has(ask.session)) return reply(ENOENT);
    if (node.refuse_tests != 0) return reply(node.refuse_tests);
    if (ask.loop == 0 || ask.concurrency == 0 || ask.is_client == offered.empty())
      return reply(EINVAL);
    if (offered.size() != wire::lst_destinations_bytes(ask.destinations, features))
      return reply(EINVAL);
    FakeNode::Batch& batch = node.batches[ask.batch];
    if (batch.running) return reply(EBUSY);
    std::vector<ProcessId> destinations;
    if (ask.is_client)
      destinations = *wire::decode_lst_destinations(offered, ask.destinations, Order::kLittle);
    batch.tests.push_back(ask);
    batch.destinations.push_back(std::move(destinations));
    return reply(0);
  }
  static wire::LstBody serve(FakeNode& node, std::uint32_t, const wire::LstBatch& ask,
                             const Offered&) {
    wire::LstBatchReply reply{.session = node.session};
    const auto at = node.batches.find(ask.batch);
    if (!node.has(ask.session))
      reply.status = ESRCH;
    else if (at == node.batches.end() || ask.test_index > at->second.tests.size())
      reply.status = ENOENT;
    else if (ask.op == wire::LstBatchOp::kQuery)
      reply.active = active(at->second, ask.test_index);
    else if (ask.op == wire::LstBatchOp::kRun)
      at->second.running = !short_lived(at->second);
    else
      stop(node, at->second);
    return reply;
  }
  /// Whether a batch has so few iterations that it ends before its first query.
  static bool short_lived(const FakeNode::Batch& batch) {
    return std::all_of(batch.tests.begin(), batch.tests.end(),
                       [](const auto& test) { return !test.is_client || test.loop <= kFewLoops; });
  }
  static void stop(const FakeNode& node, FakeNode::Batch& batch) {
    batch.stopping = batch.running ? node.lingers : 0;
    batch.running = batch.stopping != 0;
  }
  static std::uint32_t active(FakeNode::Batch& batch, std::uint32_t index) {
    if (!batch.running) return 0;
    if (index != 0)
      return batch.tests[index - 1].is_client ? batch.tests[index - 1].concurrency : 0;
    if (batch.stopping != 0) batch.running = --batch.stopping != 0;
    return static_cast<std::uint32_t>(std::count_if(
        batch.tests.begin(), batch.tests.end(), [](const auto& test) { return test.is_client; }));
  }
  static wire::LstBody serve(FakeNode& node, std::uint32_t, const wire::LstStat& ask,
                             const Offered&) {
    wire::LstStatReply reply = node.stat;
    node.stat.framework.running_ms += node.grows.framework.running_ms;
    node.stat.lnet.send_count += node.grows.lnet.send_count;
    node.stat.lnet.recv_count += node.grows.lnet.recv_count;
    node.stat.lnet.send_length += node.grows.lnet.send_length;
    node.stat.lnet.recv_length += node.grows.lnet.recv_length;
    node.stat.rpc.sent += node.grows.rpc.sent;
    for (const auto& [id, batch] : node.batches)
      reply.framework.active_batches += batch.running ? 1 : 0;
    reply.session = node.session;
    reply.status = node.has(ask.session) ? 0 : std::uint32_t{ESRCH};
    if (reply.status == 0 && ask.type == wire::kLstStatLatency && !node.latency)
      ADD_FAILURE() << "the console asked a node without latencies for its latencies";
    return reply;
  }
  static std::vector<std::byte> histogram_of(const FakeNode& node) {
    std::vector<std::byte> bytes(wire::kLstLatencyBytes);
    wire::encode_lst_latency(node.latency.value_or(Latency()).reported(),
                             std::span<std::byte, wire::kLstLatencyBytes>(bytes));
    return bytes;
  }
  static constexpr std::uint32_t kFewLoops = 100;
  Instant now_{};
  mutable std::int64_t wall_ = 0;
  std::uint64_t order_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> due_;
  std::vector<std::pair<ProcessId, std::unique_ptr<FakeNode>>> nodes_;
};

}  // namespace ulnet::svc::selftest::console::test
