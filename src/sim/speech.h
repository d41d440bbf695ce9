// What one side of a connection of the TCP driver says, heard byte by byte and put into words: a
// request (of the side that dialled), a hello, then messages. It understands what is well formed
// and judges nothing else: for peers that are no nodes, and for checkers that listen in. Source:
// spec/wire-socklnd.md 1, 3, 4, 6.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "wire/acceptor.h"
#include "wire/ksock_frame.h"
#include "wire/ksock_hello.h"
#include "wire/lnet_header.h"

namespace ulnet::sim {

class Speech {
 public:
  enum class Heard : std::uint8_t {
    kMore,      ///< everything was consumed
    kRequest,   ///< request(); of the side that was dialled: it refuses, and says no more
    kHello,     ///< hello()
    kNoop,      ///< frame()
    kMessage,   ///< frame() and header(); its payload follows
    kPayload,   ///< piece() of it
    kEnd,       ///< of the message, also of one without payload
    kNonsense,  ///< nothing is understood from here on
  };

  /// Of the side that dialled, or of the one that was dialled.
  explicit Speech(bool dialled)
      : dialled_(dialled), state_(dialled ? State::kRequest : State::kHello) {}

  /// Consumes from the front of `in` up to the next word.
  Heard next(ByteView& in);

  const wire::AcceptorRequest& request() const { return request_; }
  const wire::ReceivedHello& hello() const { return hello_; }
  /// A version 1 message has the frame of an ordinary one.
  const wire::Frame& frame() const { return frame_; }
  const wire::LnetHeader& header() const { return header_; }
  /// As long as the bytes that next() was given.
  ByteView piece() const { return piece_; }
  /// Of the message's payload, not heard yet.
  std::uint32_t payload_left() const { return left_; }
  /// A hello was heard, and no nonsense.
  bool greeted() const { return state_ != State::kRequest && state_ != State::kHello && !deaf(); }
  bool deaf() const { return state_ == State::kDeaf; }
  /// Bytes consumed since the beginning.
  std::uint64_t heard() const { return heard_; }

 private:
  enum class State : std::uint8_t { kRequest, kHello, kFrame, kHeader, kPayload, kDeaf };

  Heard hear_request(ByteView& in);
  Heard hear_hello(ByteView& in);
  Heard hear_frame(ByteView& in);
  Heard hear_header(ByteView& in);
  Heard hear_payload(ByteView& in);
  Heard nonsense();
  /// Moves bytes from `in` until `want` are in hand; false when `in` ended before.
  bool collect(ByteView& in, std::size_t want);
  ByteView in_hand() const { return ByteView(hand_).first(held_); }
  State after_message() const { return version() == 1 ? State::kHeader : State::kFrame; }
  std::uint32_t version() const { return hello_.hello.version; }

  const bool dialled_;
  State state_;
  std::uint32_t left_ = 0;
  std::uint64_t heard_ = 0;
  std::size_t held_ = 0;
  std::array<std::byte, wire::kHelloBytesMax> hand_{};
  ByteView piece_;
  wire::AcceptorRequest request_;
  wire::ReceivedHello hello_;
  wire::Frame frame_;
  wire::LnetHeader header_;
};

/// The bytes of it.
std::vector<std::byte> words(const wire::AcceptorRequest& request);
std::vector<std::byte> words(const wire::Hello& hello);
std::vector<std::byte> words(const wire::Frame& frame);
/// A message on a connection of that version; the header says how long its payload is said to be.
std::vector<std::byte> words(const wire::LnetHeader& header, ByteView payload = {},
                             std::uint32_t version = 3, const wire::Frame& frame = {});

}  // namespace ulnet::sim
