// The whole state x event matrix of the life cycles of an RPC: a row deleted or added shows here.
// DESIGN.md 2.
#include <gtest/gtest.h>

#include <string>

#include "svc/selftest/call.h"
#include "svc/selftest/served.h"

namespace ulnet::svc::selftest {
namespace {

template <class State, class Event>
std::string matrix(const core::LifeCycle<State, Event>& life) {
  std::string text;
  for (std::size_t s = 0; s < static_cast<std::size_t>(State::kCount); ++s) {
    const auto from = static_cast<State>(s);
    text += std::string(to_string(from)) + ":";
    for (std::size_t e = 0; e < static_cast<std::size_t>(Event::kCount); ++e) {
      const auto on = static_cast<Event>(e);
      if (life.allows(from, on))
        text += std::string(" [") + to_string(on) + " -> " + to_string(life.after(from, on)) + "]";
    }
    text += "\n";
  }
  return text;
}

TEST(LifeCycles, Call) {  // spec/wire-selftest.md 1.2
  EXPECT_EQ(matrix(kCallLife),
            "idle: [begin -> waiting]\n"
            "waiting: [done -> idle] [fail -> failing]\n"
            "failing: [release -> idle]\n");
}

TEST(LifeCycles, Served) {  // spec/wire-selftest.md 1.2
  EXPECT_EQ(matrix(kServedLife),
            "free: [take -> serving]\n"
            "serving: [move -> moving] [end -> ending]\n"
            "moving: [over -> serving]\n"
            "ending: [over -> free]\n");
}

}  // namespace
}  // namespace ulnet::svc::selftest
