// The two life cycles of the driver, declared as tables: a connection's, and a peer's dialling. The
// tables drive the code; a test keeps the whole state x event matrix. Source: spec/wire-socklnd.md
// 1, 4.5, 5.1, 9, 10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace ulnet::lnd::sock {

/// One allowed step; what is not listed is a programmer error.
template <class State, class Event>
struct Step {
  State from;
  Event event;
  State to;
};

template <class State, class Event, std::size_t N>
constexpr std::optional<State> next_state(const std::array<Step<State, Event>, N>& table,
                                          State state, Event event) {
  for (const auto& step : table)
    if (step.from == state && step.event == event) return step.to;
  return std::nullopt;
}

enum class ConnState : std::uint8_t {
  kConnecting,  ///< active: TCP connect under way
  kGreeting,    ///< active: request and hello on their way, waits for the answering hello
  kRequest,     ///< passive: reads the connection request
  kHello,       ///< passive: reads the hello
  kOpen,        ///< carries messages
  kRefusing,    ///< passive: writes its refusal, then closes
  kClosed,
};
enum class ConnEvent : std::uint8_t {
  kConnected,
  kRequestRead,
  kHelloAccepted,
  kRefuse,
  kRefusalSent,
  kFail
};

inline constexpr std::array<Step<ConnState, ConnEvent>, 13> kConnLife = {{
    {ConnState::kConnecting, ConnEvent::kConnected, ConnState::kGreeting},
    {ConnState::kConnecting, ConnEvent::kFail, ConnState::kClosed},
    {ConnState::kGreeting, ConnEvent::kHelloAccepted, ConnState::kOpen},
    {ConnState::kGreeting, ConnEvent::kFail, ConnState::kClosed},
    {ConnState::kRequest, ConnEvent::kRequestRead, ConnState::kHello},
    {ConnState::kRequest, ConnEvent::kRefuse, ConnState::kRefusing},
    {ConnState::kRequest, ConnEvent::kFail, ConnState::kClosed},
    {ConnState::kHello, ConnEvent::kHelloAccepted, ConnState::kOpen},
    {ConnState::kHello, ConnEvent::kRefuse, ConnState::kRefusing},
    {ConnState::kHello, ConnEvent::kFail, ConnState::kClosed},
    {ConnState::kOpen, ConnEvent::kFail, ConnState::kClosed},
    {ConnState::kRefusing, ConnEvent::kRefusalSent, ConnState::kClosed},
    {ConnState::kRefusing, ConnEvent::kFail, ConnState::kClosed},
}};

enum class DialState : std::uint8_t {
  kIdle,
  kDialling,  ///< one connection is being made
  kRefused,   ///< lost a race or was a duplicate: tries again in min_reconnectms; messages wait
  kResting,  ///< refused three times: settles for what there is; tries again for a message, after a
             ///< doubling pause
  kBackOff,  ///< could not connect: messages that need a dial fail at once until the doubling pause
             ///< is over
};
enum class DialEvent : std::uint8_t {
  kStart,
  kOpened,
  kRetryNow,
  kRefuse,
  kGiveIn,
  kFail,
  kPauseOver,
  kForget
};

inline constexpr std::array<Step<DialState, DialEvent>, 13> kDialLife = {{
    {DialState::kIdle, DialEvent::kStart, DialState::kDialling},
    {DialState::kIdle, DialEvent::kForget, DialState::kIdle},
    {DialState::kDialling, DialEvent::kOpened, DialState::kIdle},
    {DialState::kDialling, DialEvent::kRetryNow, DialState::kIdle},
    {DialState::kDialling, DialEvent::kRefuse, DialState::kRefused},
    {DialState::kDialling, DialEvent::kGiveIn, DialState::kResting},
    {DialState::kDialling, DialEvent::kFail, DialState::kBackOff},
    {DialState::kDialling, DialEvent::kForget, DialState::kIdle},
    {DialState::kRefused, DialEvent::kPauseOver, DialState::kIdle},
    {DialState::kRefused, DialEvent::kForget, DialState::kIdle},
    {DialState::kResting, DialEvent::kPauseOver, DialState::kIdle},
    {DialState::kResting, DialEvent::kForget, DialState::kIdle},
    {DialState::kBackOff, DialEvent::kPauseOver, DialState::kIdle},
}};

}  // namespace ulnet::lnd::sock
