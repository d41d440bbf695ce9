#include "selftest/host/selftest_host.h"

#include <malloc.h>

#include <mutex>

#include "lnet/lnd/memory_short.h"
#include "lnet/node/node.h"
#include "lnet/node/runtime/awaited.h"
#include "lnet/node/runtime/clock.h"
#include "lnet/node/runtime/shared_memory_budget.h"
#include "selftest/service/serial_queue.h"

namespace ulnet::node {

using svc::selftest::Selftest;

class SelftestHost::Runtime final : public svc::selftest::Host,
                                    public std::enable_shared_from_this<Runtime> {
 public:
  Runtime(Lnet& lnet, const svc::selftest::Settings& settings)
      : lnet_(lnet), node_(dynamic_cast<Node*>(&lnet)), selftest_(*this, settings) {}

  void run(std::function<void(Selftest&)> fn) {
    queue_.run([this, fn = std::move(fn)] { fn(selftest_); });
  }
  void after(Duration delay, std::function<void(Selftest&)> fn) {
    lnet_.after(delay, [weak = weak_from_this(), fn = std::move(fn)] {
      if (const auto runtime = weak.lock()) runtime->run(fn);
    });
  }
  bool stop(Duration deadline);

  Lnet& lnet() override { return lnet_; }
  Instant now() override { return node::now(); }
  std::int64_t wall_ns() override {
    return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  EventSink& sink() override { return queue_; }
  void wake_at(Instant when) override {
    after(when - now(), [](Selftest& selftest) { selftest.wake(); });
  }
  MemoryBudget& memory() override { return node_ != nullptr ? node_->memory() : unlimited_; }
  void* zeroed(std::size_t bytes) override {
    // Allocates nothing when memory is short: an allocation would use the memory that the process's
    // reserve has just released.
    return lnd::memory_is_short.load(std::memory_order_relaxed) ? nullptr : Host::zeroed(bytes);
  }
  void trim() override { malloc_trim(0); }
  void log(svc::selftest::LogLevel level, const std::string& line) override {
    if (node_ != nullptr) node_->log(static_cast<int>(level), line);
  }

 private:
  Lnet& lnet_;
  Node* const node_;  ///< null: the Lnet has neither a budget nor a log
  SharedMemoryBudget unlimited_;
  svc::selftest::SerialQueue<std::mutex> queue_;
  Selftest selftest_;
  Awaited end_;
  bool quiet_ = false;
};

bool SelftestHost::Runtime::stop(Duration deadline) {
  run([this](Selftest& selftest) {
    selftest.stop([this] { end_.bring([this] { quiet_ = true; }); });
  });
  return end_.wait(
      lnet_, [this] { return quiet_; }, now() + deadline);
}

SelftestHost::SelftestHost(Lnet& lnet, const svc::selftest::Settings& settings)
    : runtime_(std::make_shared<Runtime>(lnet, settings)) {}

SelftestHost::~SelftestHost() = default;

Result<void> SelftestHost::start() {
  // No other code enters the selftest before it has begun, so this runs at once.
  Result<void> begun;
  runtime_->run([&](Selftest& selftest) { begun = selftest.start(); });
  return begun;
}

void SelftestHost::run(std::function<void(Selftest&)> fn) { runtime_->run(std::move(fn)); }

void SelftestHost::after(Duration delay, std::function<void(Selftest&)> fn) {
  runtime_->after(delay, std::move(fn));
}

bool SelftestHost::stop(Duration deadline) { return runtime_->stop(deadline); }

}  // namespace ulnet::node
