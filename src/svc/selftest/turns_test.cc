#include "svc/selftest/turns.h"

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

TEST(Turns, WhatComesFromInsideWaitsForItsTurn) {
  Turns<NoLock> turns;
  Told told;
  bool once = true;
  told.then = [&] {
    if (!std::exchange(once, false)) return;
    turns.on_event(event_for(told, 2));
    turns.run([&] { told.log += "(call)"; });
    turns.on_event(event_for(told, 3));
  };
  turns.on_event(event_for(told, 1));
  EXPECT_EQ(told.log, "<1><2>(call)<3>");
}

TEST(Turns, CallsFromInsideCallsWaitAsWell) {
  Turns<NoLock> turns;
  std::string log;
  turns.run([&] {
    turns.run([&] {
      turns.run([&] { log += "c"; });
      log += "b";
    });
    log += "a";
  });
  EXPECT_EQ(log, "abc");
}

}  // namespace
}  // namespace ulnet::svc::selftest
