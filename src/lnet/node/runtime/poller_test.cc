#include "lnet/node/runtime/poller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace ulnet::node {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;

/// A driver without NIs that is polled, and notes how.
class Polled : public lnd::Lnd {
 public:
  explicit Polled(std::string name, std::vector<std::string>* order = nullptr)
      : name_(std::move(name)), order_(order) {}
  ~Polled() override {
    if (fd_ >= 0) close(fd_);
  }

  Result<lnd::NiStarted> start_ni(const lnd::NiSpec&) override { return fail(-EINVAL); }
  void stop_ni(core::NiId) override {}
  void submit(lnd::Command&&) override {}
  void flush() override {}
  lnd::Progress progress_kind() const override { return lnd::Progress::kPolled; }
  bool progress(Duration wait) override {
    waits.push_back(wait);
    if (order_ != nullptr) order_->push_back(name_);
    return waits.size() > looks_before_one_delivers;
  }
  int wait_descriptor() const override { return fd_; }
  Duration may_sleep() override {
    ++asked;
    if (readable_when_asked == asked) make_readable();
    return sleeps;
  }

  void have_descriptor() { fd_ = eventfd(0, EFD_CLOEXEC); }
  void make_readable() const { ASSERT_EQ(eventfd_write(fd_, 1), 0); }

  std::vector<Duration> waits;  ///< what progress() was called with
  std::size_t looks_before_one_delivers = 1000;
  Duration sleeps = Duration::max();
  int asked = 0;
  int readable_when_asked = 0;  ///< makes its descriptor readable at that call of may_sleep()

 private:
  const std::string name_;
  std::vector<std::string>* const order_;
  int fd_ = -1;
};

TEST(Poller, LooksAtEachDriverAndBeginsWithAnotherOneEachTime) {
  std::vector<std::string> order;
  Polled a("a", &order), b("b", &order), c("c", &order);
  a.looks_before_one_delivers = 0;  // it always delivers, and the others are looked at all the same
  Poller poller;
  for (Polled* each : {&a, &b, &c}) poller.add(*each);
  EXPECT_TRUE(poller.look());
  EXPECT_TRUE(poller.look());
  EXPECT_THAT(order, ElementsAre("a", "b", "c", "b", "c", "a"));
  EXPECT_THAT(a.waits, Each(Duration::zero()));
}

TEST(Poller, LetsTheOnlyDriverWaitByItself) {
  Polled only("only");
  Poller poller;
  poller.add(only);
  EXPECT_FALSE(poller.wait(milliseconds(7)));
  EXPECT_THAT(only.waits, ElementsAre(milliseconds(7)));
  EXPECT_EQ(only.asked, 0);
}

TEST(Poller, LooksAgainAfterTheShortestSleepThatADriverAllows) {
  Polled lazy("lazy"), eager("eager");
  eager.sleeps = std::chrono::microseconds(1);
  eager.looks_before_one_delivers = 3;
  Poller poller;
  poller.add(lazy);
  poller.add(eager);
  EXPECT_TRUE(poller.wait(hours(1)));
  EXPECT_EQ(eager.waits.size(), 4U);
  EXPECT_EQ(lazy.waits.size(), 4U);
  EXPECT_EQ(poller.duty().duty().sleeps, 3U);
}

TEST(Poller, DoesNotSleepWhileADriverForbidsIt) {
  Polled busy("busy"), lazy("lazy");
  busy.sleeps = {};
  busy.looks_before_one_delivers = 5;
  Poller poller;
  poller.add(busy);
  poller.add(lazy);
  EXPECT_TRUE(poller.wait(hours(1)));
  EXPECT_EQ(busy.waits.size(), 6U);
  EXPECT_EQ(poller.duty().duty().sleeps, 0U);
}

TEST(Poller, WakesUpForADescriptor) {
  Polled quiet("quiet"), one("one");
  quiet.have_descriptor();
  one.have_descriptor();
  one.readable_when_asked = 1;
  one.looks_before_one_delivers = 1;
  Poller poller;
  poller.add(quiet);
  poller.add(one);
  EXPECT_TRUE(poller.wait(hours(1)));
  EXPECT_EQ(one.waits.size(), 2U);
}

TEST(Poller, EndsAWaitInTime) {
  Polled a("a"), b("b");
  Poller poller;
  poller.add(a);
  poller.add(b);
  EXPECT_FALSE(poller.wait(Duration::zero()));
  EXPECT_EQ(a.asked, 0);
  EXPECT_FALSE(poller.wait(milliseconds(1)));
  EXPECT_THAT(a.waits.size(), Ge(2U));
}

TEST(Poller, EndsAWaitWhenItIsWoken) {
  Polled only("only");
  Poller poller;
  poller.add(only);
  poller.allow_wake();
  poller.wake();
  EXPECT_FALSE(poller.wait(kNever - Instant{}));
  EXPECT_THAT(only.waits, ElementsAre(Duration::zero())) << "nobody could wake its own wait";
}

}  // namespace
}  // namespace ulnet::node
