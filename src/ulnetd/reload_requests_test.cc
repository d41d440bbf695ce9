#include "ulnetd/reload_requests.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

namespace ulnet::tools {
namespace {

using node::control::Reloaded;

/// Waits until a request waits.
void wait_for_a_request(const ReloadRequests& requests) {
  pollfd waiting{.fd = requests.descriptor(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&waiting, 1, 30000), 1);
}

TEST(ReloadRequests, EachRequestGetsTheResult) {
  ReloadRequests requests;
  Result<Reloaded> heard;
  std::thread asker([&] { heard = requests.ask(); });
  wait_for_a_request(requests);
  int reloads = 0;
  const auto reload = [&] {
    ++reloads;
    return Reloaded{.changes = 3, .failures = {{-EINVAL, "bad"}}, .warnings = {}};
  };
  requests.serve(reload);
  asker.join();
  ASSERT_TRUE(heard.has_value());
  EXPECT_EQ(heard->changes, 3U);
  EXPECT_EQ(heard->failures.at(0).reason, "bad");
  requests.serve(reload);
  EXPECT_EQ(reloads, 1) << "nobody asked again";
}

TEST(ReloadRequests, AtTheEndAllWaitersAreReleased) {
  ReloadRequests requests;
  Result<Reloaded> heard;
  std::thread asker([&] { heard = requests.ask(); });
  wait_for_a_request(requests);
  requests.close();
  asker.join();
  EXPECT_EQ(heard.error().code, -ESHUTDOWN);
  EXPECT_EQ(requests.ask().error().code, -ESHUTDOWN) << "later requests are refused too";
}

}  // namespace
}  // namespace ulnet::tools
