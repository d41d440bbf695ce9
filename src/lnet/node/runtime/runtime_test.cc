// The drivers of a runtime share one poller.
#include "lnet/node/runtime/runtime.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace ulnet::node {
namespace {

/// A polled driver that always finds something.
class Busy final : public lnd::Lnd {
 public:
  explicit Busy(std::atomic<int>& looks) : looks_(looks) {}
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec&) override { return fail(-EPERM); }
  void stop_ni(core::NiId) override {}
  void submit(lnd::Command&&) override {}
  void flush() override {}
  lnd::Progress progress_kind() const override { return lnd::Progress::kPolled; }
  bool progress(Duration) override {
    ++looks_;
    return true;
  }
  Duration may_sleep() override { return {}; }

 private:
  std::atomic<int>& looks_;
};

struct SharedPoller : testing::Test {
  std::unique_ptr<Runtime> runtime(Mode mode) {
    Runtime::Options options;
    options.mode = mode;
    constexpr std::array kNets = {NetType::kTcp, NetType::kO2ib, NetType::kGni};
    for (std::size_t i = 0; i < kNets.size(); ++i) {
      DriverRow row;
      row.nets = kNets[i];
      row.make = [this, i](const DriverParts&) { return std::make_unique<Busy>(looks[i]); };
      options.drivers.push_back(std::move(row));
    }
    std::string warning;
    return std::make_unique<Runtime>(std::move(options),
                                     Partitions::make(mode, "", 1, {"pu:1"}, warning).value());
  }
  bool each_has(int count) const {
    return looks[0] >= count && looks[1] >= count && looks[2] >= count;
  }

  std::array<std::atomic<int>, 3> looks{};
};

TEST_F(SharedPoller, StarvesNoDriverInInlineMode) {
  const auto polled = runtime(Mode::kInline);
  for (int i = 0; i < 100; ++i) polled->progress(i % 2 == 0 ? Duration{} : std::chrono::hours(1));
  EXPECT_TRUE(each_has(100));
}

TEST_F(SharedPoller, StarvesNoDriverOnTheNodesThread) {
  const auto threads = runtime(Mode::kShared);
  while (!each_has(100)) std::this_thread::yield();
}

}  // namespace
}  // namespace ulnet::node
