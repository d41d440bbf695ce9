// Parses what one side of a TCP driver's connection sends, as the bytes arrive: an acceptor request
// (only from the side that dialled), a hello, then messages. It accepts everything that is well
// formed, whether it makes sense or not. Peers that are not nodes use it, and checkers that follow
// the streams. Source: spec/wire-socklnd.md 1, 3, 4, 6.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/wire/acceptor.h"
#include "lnet/wire/ksock_frame.h"
#include "lnet/wire/ksock_hello.h"
#include "lnet/wire/lnet_header.h"

namespace ulnet::sim {

class KsockStreamParser {
 public:
  enum class Heard : std::uint8_t {
    kMore,      ///< every byte was consumed; more are needed
    kRequest,   ///< request(); from the side that was dialled it is a refusal, and its last bytes
    kHello,     ///< hello()
    kNoop,      ///< frame()
    kMessage,   ///< frame() and header(); the payload follows
    kPayload,   ///< piece() of the payload
    kEnd,       ///< the message has ended, also one without payload
    kNonsense,  ///< malformed; everything after it is skipped
  };

  /// `dialled`: the bytes come from the side that dialled.
  explicit KsockStreamParser(bool dialled)
      : dialled_(dialled), state_(dialled ? State::kRequest : State::kHello) {}

  /// Consumes bytes from the front of `in` until one of the results above is complete.
  Heard next(ByteView& in);

  const wire::AcceptorRequest& request() const { return request_; }
  const wire::ReceivedHello& hello() const { return hello_; }
  /// A version 1 message has no frame on the wire: this is then an ordinary frame.
  const wire::Frame& frame() const { return frame_; }
  const wire::LnetHeader& header() const { return header_; }
  /// Valid as long as the bytes given to next() are.
  ByteView piece() const { return piece_; }
  /// Payload bytes of the message that have not arrived yet.
  std::uint32_t payload_left() const { return left_; }
  /// Bytes consumed since the start.
  std::uint64_t heard() const { return heard_; }
  /// Bytes consumed from the start to the end of frame().
  std::uint64_t frame_end() const { return frame_end_; }

 private:
  enum class State : std::uint8_t { kRequest, kHello, kFrame, kHeader, kPayload, kDeaf };

  Heard hear_request(ByteView& in);
  Heard hear_hello(ByteView& in);
  Heard hear_frame(ByteView& in);
  Heard hear_header(ByteView& in);
  Heard hear_payload(ByteView& in);
  Heard nonsense();
  /// Moves bytes from `in` to `hand_` until it has `want`; false when `in` has too few bytes.
  bool collect(ByteView& in, std::size_t want);
  ByteView in_hand() const { return ByteView(hand_).first(held_); }
  State after_message() const { return version() == 1 ? State::kHeader : State::kFrame; }
  std::uint32_t version() const { return hello_.hello.version; }

  const bool dialled_;
  State state_;
  std::uint32_t left_ = 0;
  std::uint64_t heard_ = 0, frame_end_ = 0;
  std::size_t held_ = 0;
  std::array<std::byte, wire::kHelloBytesMax> hand_{};
  ByteView piece_;
  wire::AcceptorRequest request_;
  wire::ReceivedHello hello_;
  wire::Frame frame_;
  wire::LnetHeader header_;
};

/// Each of these values as bytes on the wire.
std::vector<std::byte> words(const wire::AcceptorRequest& request);
std::vector<std::byte> words(const wire::Hello& hello);
std::vector<std::byte> words(const wire::Frame& frame);
/// A message on a connection of that version. The header contains the payload's length, right or
/// wrong.
std::vector<std::byte> words(const wire::LnetHeader& header, ByteView payload = {},
                             std::uint32_t version = 3, const wire::Frame& frame = {});

}  // namespace ulnet::sim
