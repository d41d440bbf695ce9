#include "selftest/service/serial_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace ulnet::svc::selftest {
namespace {

struct Told final : EventSink {
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

TEST(SerialQueue, WhatComesFromInsideWaitsForItsTurn) {
  SerialQueue<NoLock> queue;
  Told told;
  bool once = true;
  told.then = [&] {
    if (!std::exchange(once, false)) return;
    queue.on_event(event_for(told, 2));
    queue.run([&] { told.log += "(call)"; });
    queue.on_event(event_for(told, 3));
  };
  queue.on_event(event_for(told, 1));
  EXPECT_EQ(told.log, "<1><2>(call)<3>");
}

TEST(SerialQueue, CallsFromInsideCallsWaitAsWell) {
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
