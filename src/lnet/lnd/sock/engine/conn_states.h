// The two life cycles of the driver as tables: that of a connection, and that of dialling a peer.
// The code looks its steps up in the tables; a test has the whole matrix of states and events.
// Source: spec/wire-socklnd.md 1, 4.5, 5.1, 9, 10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace ulnet::lnd::sock {

/// One allowed step. An event without a step in its state is a programmer error.
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
  kConnecting,  ///< active: TCP is connecting
  kGreeting,    ///< active: request and hello are sent, the peer's hello is awaited
  kRequest,     ///< passive: the connection request is read
  kHello,       ///< passive: the hello is read
  kOpen,        ///< carries messages
  kRefusing,    ///< passive: the refusal is written, then the connection is closed
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

inline constexpr std::array<Step<ConnState, ConnEvent>, 13> kConnLifeCycle = {{
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
  kDialling,  ///< a connection is being made
  kRefused,   ///< the peer refused (lost race or duplicate): next dial in min_reconnectms; messages
              ///< wait for it
  kResting,   ///< the peer refused three times, and there are connections: next dial after a
              ///< doubling pause, and only for a message
  kBackOff,   ///< the dial failed: until a doubling pause is over, messages that need a dial
              ///< fail at once
};
enum class DialEvent : std::uint8_t {
  kStart,
  kOpened,
  kRetryNow,
  kRefuse,
  kGiveIn,
  kFail,
  kPauseOver,
  kForget,
  /// This node's link was down and is up again: dials that failed meanwhile say nothing about the
  /// peer.
  kLinkUp
};

inline constexpr std::array<Step<DialState, DialEvent>, 18> kDialLifeCycle = {{
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
    {DialState::kIdle, DialEvent::kLinkUp, DialState::kIdle},
    {DialState::kDialling, DialEvent::kLinkUp, DialState::kDialling},
    {DialState::kRefused, DialEvent::kLinkUp, DialState::kIdle},
    {DialState::kResting, DialEvent::kLinkUp, DialState::kIdle},
    {DialState::kBackOff, DialEvent::kLinkUp, DialState::kIdle},
}};

}  // namespace ulnet::lnd::sock
