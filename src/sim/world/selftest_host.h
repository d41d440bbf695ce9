// Runs the LNet selftest on a node of a simulated world. Source: DESIGN.md 1, 6.
//
//   SelftestHost host(world, world.node(0));
//   host.run([&] { host.selftest().caller().call(...); });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "selftest/service/selftest.h"
#include "selftest/service/serial_queue.h"
#include "sim/world/world.h"

namespace ulnet::sim {

/// The host serves one incarnation of the node: destroy it before the node starts again, and before
/// the world. While the node is up, destroy it only when its selftest is quiet.
class SelftestHost final : private svc::selftest::Host {
 public:
  SelftestHost(World& world, SimNode& node, const svc::selftest::Settings& settings = {})
      : world_(world), node_(node), selftest_(*this, settings) {}

  /// Runs `fn` as if on the node's only thread. Every call of the selftest has to be made this
  /// way.
  void run(std::function<void()> fn) { queue_.run(std::move(fn)); }
  svc::selftest::Selftest& selftest() { return selftest_; }
  SimNode& node() { return node_; }
  /// The memory has no limit, unless a test sets one.
  MemoryBudget& memory() override { return memory_; }
  /// The lines that the selftest wrote to the node's log.
  const std::vector<std::string>& lines() const { return lines_; }
  /// When the last request about sessions, batches and tests came, whatever its result; long ago
  /// when none came.
  Instant heard() const { return heard_; }
  /// The number of MDs that the selftest has in LNet.
  std::size_t mds() const;
  /// While it is true the node has no memory for data.
  bool out_of_memory = false;
  const World& world() const { return world_; }

 private:
  /// Gets every event before the selftest does.
  struct Ear final : EventSink {
    explicit Ear(SelftestHost& owner) : host(owner) {}
    void on_event(const Event& event) override {
      if (event.type == EventType::kPut && event.status == 0 &&
          event.portal == Portal{wire::kLstFrameworkPortal})
        host.heard_ = host.world_.now();
      host.queue_.on_event(event);
    }
    SelftestHost& host;
  };

  Lnet& lnet() override { return node_; }
  Instant now() override { return world_.now(); }
  std::int64_t wall_ns() override {
    constexpr std::int64_t kNewYear = 1'767'225'600'000'000'000;  // 2026
    return kNewYear + world_.now().time_since_epoch().count();
  }
  EventSink& sink() override { return ear_; }
  void wake_at(Instant when) override {
    node_.after(when - world_.now(), [this, there = std::weak_ptr(there_)] {
      if (!there.expired()) run([this] { selftest_.wake(); });
    });
  }

  void* zeroed(std::size_t bytes) override { return out_of_memory ? nullptr : Host::zeroed(bytes); }
  void log(svc::selftest::LogLevel, const std::string& line) override { lines_.push_back(line); }

  World& world_;
  SimNode& node_;
  MemoryBudget memory_;
  std::vector<std::string> lines_;
  const std::shared_ptr<int> there_ = std::make_shared<int>();
  svc::selftest::SerialQueue<svc::selftest::NoLock> queue_;
  Ear ear_{*this};
  Instant heard_{};
  svc::selftest::Selftest selftest_;
};

}  // namespace ulnet::sim
