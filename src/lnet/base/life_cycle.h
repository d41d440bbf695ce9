// Life cycles as tables of states and events. The code looks up each change of state in the table,
// and a test has the whole state x event matrix. Source: DESIGN.md 2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lnet/base/assert.h"

namespace ulnet {

/// States and events are enums that count from 0 and end in kCount.
template <class State, class Event>
class LifeCycle {
 public:
  struct Row {
    State from;
    Event on;
    State to;
  };

  template <std::size_t N>
  constexpr explicit LifeCycle(const Row (&rows)[N]) {
    for (auto& line : next_) line.fill(kNone);
    for (const Row& row : rows) next_[at(row.from)][at(row.on)] = static_cast<std::uint8_t>(row.to);
  }

  constexpr bool allows(State from, Event on) const { return next_[at(from)][at(on)] != kNone; }
  /// The next state. Asserts that the table has a row for the event in this state.
  State after(State from, Event on) const {
    ULNET_ASSERT(allows(from, on));
    return static_cast<State>(next_[at(from)][at(on)]);
  }

 private:
  static constexpr std::uint8_t kNone = 0xff;
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::kCount);
  static constexpr std::size_t kEvents = static_cast<std::size_t>(Event::kCount);
  template <class Enum>
  static constexpr std::size_t at(Enum value) {
    return static_cast<std::size_t>(value);
  }

  std::array<std::array<std::uint8_t, kEvents>, kStates> next_{};
};

}  // namespace ulnet
