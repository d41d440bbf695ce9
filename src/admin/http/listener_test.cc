// Listeners on a loopback port. control_server_test.cc tests HTTP on a Unix socket.
#include "admin/http/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <future>
#include <stdexcept>

namespace ulnet::http {
namespace {

constexpr std::chrono::seconds kLong{20};

struct ListenerTest : testing::Test {
  Service service() {
    return {
        .name = "the test",
        .counters = counters,
        .threads = 4,
        .headers = {{"X-Frame-Options", "DENY"}},
        .answer = [this](const Request& request) { return answer(request); },
        .refuse = [](int status,
                     const Error& why) { return Reply{.status = status, .body = why.reason}; },
        .no_memory =
            [](std::string_view what) { return Reply{.status = 503, .body = std::string(what)}; },
        .body_limit = [](const Request&) { return std::size_t{10}; }};
  }
  httplib::Client client() {
    if (listener == nullptr) listener = std::move(*Listener::open(0, {}, service()));
    return httplib::Client("127.0.0.1", listener->port());
  }

  Counters counters;
  std::function<Reply(const Request&)> answer;
  std::unique_ptr<Listener> listener;
};

TEST_F(ListenerTest, AnAnswerHasTheHeadersOfTheServiceAndItsOwn) {
  answer = [](const Request& request) {
    return Reply{.body = std::string(request.header("x-question")),
                 .headers = {{"Set-Cookie", "a=b"}}};
  };
  const auto reply = client().Get("/", {{"X-QUESTION", "why"}});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "why");
  EXPECT_EQ(reply->get_header_value("Set-Cookie"), "a=b");
  EXPECT_EQ(reply->get_header_value("X-Frame-Options"), "DENY");
}

TEST_F(ListenerTest, ARefusalHasTheHeadersOfTheService) {
  answer = [](const Request& request) { return Reply{.body = request.body}; };
  EXPECT_EQ(client().Post("/", "0123456789", "text/plain")->body, "0123456789");
  const auto refused = client().Post("/", "0123456789a", "text/plain");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 413);
  EXPECT_EQ(refused->get_header_value("X-Frame-Options"), "DENY");
  listener.reset();  // waits for the threads that count
  EXPECT_EQ(counters.malformed, 1U);
}

TEST_F(ListenerTest, AFlushedPartComesBeforeTheRestIsMade) {
  std::promise<void> heard;
  auto waits = heard.get_future();
  std::future_status waited{};
  answer = [&](const Request&) {
    return Reply{.make = [&](Pieces& to) {
      to.add("first");
      to.flush();
      waited = waits.wait_for(kLong);
      to.add("second");
    }};
  };
  std::string body;
  ASSERT_TRUE(client().Get("/", [&](const char* data, std::size_t size) {
    body.append(data, size);
    if (body == "first") heard.set_value();
    return true;
  }));
  EXPECT_EQ(waited, std::future_status::ready);
  EXPECT_EQ(body, "firstsecond");
}

TEST_F(ListenerTest, AStreamEndsWhenItsReaderHasGone) {
  std::promise<void> gone;
  answer = [&](const Request&) {
    return Reply{.make = [&](Pieces& to) {
      while (to.add("more") && to.flush()) {
      }
      gone.set_value();
    }};
  };
  EXPECT_FALSE(client().Get("/", [](const char*, std::size_t) { return false; }));
  EXPECT_EQ(gone.get_future().wait_for(kLong), std::future_status::ready);
  listener.reset();
}

TEST_F(ListenerTest, AFailedAnswerIsAnInternalError) {
  answer = [](const Request&) -> Reply { throw std::runtime_error("broken"); };
  const auto reply = client().Get("/");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 500);
  EXPECT_EQ(reply->body, "internal error");
}

TEST_F(ListenerTest, ATakenPortIsNamed) {
  (void)client();
  const auto refused = Listener::open(listener->port(), {}, service());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -EADDRINUSE);
  EXPECT_THAT(refused.error().reason, testing::HasSubstr(std::to_string(listener->port())));
}

}  // namespace
}  // namespace ulnet::http
