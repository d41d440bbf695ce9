#include "selftest/service/serial_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace ulnet::svc::selftest {
namespace {

struct LoggingSink final : EventSink {
  void on_event(const Event& event) override {
    log += "<" + std::to_string(event.sequence);
    if (then) then();
    log += ">";
  }
  std::string log;
  std::function<void()> then;
};

Event event_for(EventSink& sink, std::uint64_t number) {
  Event event;
  event.md_user_ptr = &sink;
  event.sequence = number;
  return event;
}

TEST(SerialQueue, CallsFromInsideWait) {
  SerialQueue<NoLock> queue;
  LoggingSink logging;
  bool once = true;
  logging.then = [&] {
    if (!std::exchange(once, false)) return;
    queue.on_event(event_for(logging, 2));
    queue.run([&] { logging.log += "(call)"; });
    queue.on_event(event_for(logging, 3));
  };
  queue.on_event(event_for(logging, 1));
  EXPECT_EQ(logging.log, "<1><2>(call)<3>");
}

TEST(SerialQueue, NestedCallsFromInsideWait) {
  SerialQueue<NoLock> queue;
  std::string log;
  queue.run([&] {
    queue.run([&] {
      queue.run([&] { log += "c"; });
      log += "b";
    });
    log += "a";
  });
  EXPECT_EQ(log, "abc");
}

}  // namespace
}  // namespace ulnet::svc::selftest
