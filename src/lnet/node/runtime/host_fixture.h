// For tests: the hosts of real shards, with a driver that does only what a test says.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lnet/node/runtime/hosts.h"

namespace ulnet::node {

/// A driver that records the submitted commands and reports SendDone for every Send at flush(). The
/// test fails when flush() is called under a run token.
class EndingLnd : public lnd::Lnd {
 public:
  explicit EndingLnd(lnd::Inlet& inlet) : inlet_(inlet) {}
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec&) override { return lnd::NiStarted{}; }
  void stop_ni(core::NiId) override {}
  void submit(lnd::Command&& command) override {
    const std::lock_guard lock(mutex_);
    if (const auto* send = std::get_if<core::Send>(&command)) {
      sent.push_back(std::get<wire::PutPart>(send->header.part).hdr_data);
      hops.push_back(send->hop.nid);
      open_.push_back(send->tx);
    }
  }
  void flush() override {
    EXPECT_FALSE(OuterLoop::current().inside()) << "a system call under a token";
    ++flushes;
    std::unique_lock lock(mutex_);
    if (!ends) return;
    while (!open_.empty()) {
      const core::MsgTicket tx = open_.front();
      open_.pop_front();
      lock.unlock();
      inlet_.deliver(core::Input(core::SendDone{tx}));
      lock.lock();
    }
  }
  std::size_t submitted() {
    const std::lock_guard lock(mutex_);
    return sent.size();
  }

  std::vector<std::uint64_t> sent;  // hdr_data of the submitted Sends, in order
  std::vector<Nid> hops;            // their next hops, in the same order
  std::atomic<unsigned> flushes{0};
  std::atomic<bool> ends{true};

 private:
  lnd::Inlet& inlet_;
  std::mutex mutex_;
  std::deque<core::MsgTicket> open_;
};

/// Records the events of one MD. The test fails when the handler runs under a run token.
struct SeenEvents : EventSink {
  void on_event(const Event& event) override {
    EXPECT_FALSE(OuterLoop::current().inside()) << "a handler under a token";
    seen.push_back(event);
    if (then) then(event);
    ++count;
  }
  std::vector<Event> seen;
  std::atomic<std::size_t> count{0};
  std::function<void(const Event&)> then;
};

/// Hosts with the given number of shards, and with no thread but the test's unless `own_threads` is
/// true. A thread sets `cpu` to the CPU that it reports; CPU n is in partition n.
class Hosted : public testing::Test {
 protected:
  static constexpr core::NiId kNi{1};

  explicit Hosted(std::uint32_t shards = 1, bool own_threads = false)
      : partitions_(partitions_of(shards)) {
    hosts_.start(own_threads, {});
    hosts_.bind_ni(kNi, hosts_.add_driver(driver_));
    configure(true);
  }
  void configure(bool with_ni) {
    auto config = std::make_shared<core::NodeConfig>();
    config->generation = ++generation_;
    config->shards = hosts_.count();
    core::NiConfig ni;
    ni.id = kNi;
    ni.nid = peer(1);
    ni.tunables.credits = ni.tunables.peer_credits = 1 << 20;
    if (with_ni) config->nis.push_back(ni);
    config->globals.discovery = 0;
    hosts_.configure(std::move(config));
  }
  /// Consecutive addresses are on consecutive shards.
  static Nid peer(std::uint32_t host) { return Nid::small({NetType::kTcp, 0}, 0x7f000000 + host); }
  /// A peer of that shard.
  Nid peer_on(std::uint32_t shard) const {
    for (std::uint32_t host = 2;; ++host)
      if (cpt::cpt_of_nid(peer(host), partitions_.count()) == shard) return peer(host);
  }
  MdHandle bind(EventSink& sink, UnlinkMode unlink = UnlinkMode::kRetain) {
    const iovec memory{bytes_, sizeof bytes_};
    core::ApiCall call{core::call::MdBind{{}, unlink}};
    auto& body = std::get<core::call::MdBind>(call.body);
    body.spec.fragments = std::span(&memory, 1);
    body.spec.sink = &sink;
    hosts_.call(call);
    EXPECT_EQ(call.status, 0) << call.reason;
    return body.md;
  }
  void put(MdHandle md, std::uint64_t hdr_data, const Nid& to = peer(2)) {
    PutRequest request;
    request.md = md;
    request.target = {to, Pid::lustre()};
    request.hdr_data = hdr_data;
    core::ApiCall call{core::call::Put{request}};
    hosts_.call(call);
    EXPECT_EQ(call.status, 0) << call.reason;
  }

  static inline thread_local std::uint32_t cpu = 0;
  Partitions partitions_;
  std::function<void(const core::Note&)> on_note_;  ///< called with the shards' notes; may be null
  Hosts hosts_{partitions_, {&Hosted::pass_on, this}};
  EndingLnd driver_{hosts_};

 private:
  static void pass_on(void* self, const core::Note& note) {
    if (const auto& listener = static_cast<Hosted*>(self)->on_note_) listener(note);
  }
  static Partitions partitions_of(std::uint32_t count) {
    std::string warning;
    return Partitions::make(Mode::kShared, "", count,
                            {"core:" + std::to_string(count) + " pu:1", [] { return cpu; }},
                            warning)
        .value();
  }
  char bytes_[64] = {};
  std::uint64_t generation_ = 0;
};

}  // namespace ulnet::node
