// For tests: a life cycle as text, the whole state x event matrix. A test that compares the text
// fails for every row that is deleted or added. DESIGN.md 2.
#pragma once

#include <string>

#include "lnet/base/life_cycle.h"

namespace ulnet::test {

/// A line for each state, such as "idle: [begin -> waiting]", with the names from to_string().
template <class State, class Event>
std::string matrix(const LifeCycle<State, Event>& life_cycle) {
  std::string text;
  for (std::size_t s = 0; s < static_cast<std::size_t>(State::kCount); ++s) {
    const auto from = static_cast<State>(s);
    text += std::string(to_string(from)) + ":";
    for (std::size_t e = 0; e < static_cast<std::size_t>(Event::kCount); ++e) {
      const auto on = static_cast<Event>(e);
      if (life_cycle.allows(from, on))
        text += std::string(" [") + to_string(on) + " -> " + to_string(life_cycle.after(from, on)) +
                "]";
    }
    text += "\n";
  }
  return text;
}

}  // namespace ulnet::test
