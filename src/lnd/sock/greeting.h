// The handshake of one connection as bytes: what is still to be written, and what was read of the
// peer's request and hello. Decides nothing: it says what arrived. Lives until the connection
// carries messages. Source: spec/wire-socklnd.md 1, 3, 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "wire/acceptor.h"
#include "wire/ksock_hello.h"

namespace ulnet::lnd::sock {

class Greeting {
 public:
  enum class Event : std::uint8_t {
    kMore,     ///< everything was consumed, more must come
    kRequest,  ///< passive: target() is known
    kHello,    ///< hello() is known; what is left of the input comes after it
    kFault,    ///< fault() says what; for a request answer_request() whether it is answered
  };

  /// Writes the request and the hello, then reads a hello.
  static Greeting active(const Nid& target, const wire::Hello& hello);
  /// Reads a request, then a hello; answers are added with say().
  static Greeting passive();
  /// The passive side when request and hello were read elsewhere.
  static Greeting resumed(const wire::ReceivedHello& hello);

  /// Consumes from the front of `in` up to the next event.
  Event read(ByteView& in);
  /// Nothing of what is awaited now has arrived: a close here is between structures.
  bool at_start() const { return read_ == 0; }

  const Nid& target() const { return target_; }
  const wire::ReceivedHello& hello() const { return hello_; }
  wire::Fault fault() const { return fault_; }
  bool answer_request() const { return answer_; }

  void say(const wire::Hello& hello);
  void say(const wire::AcceptorRequest& request);
  /// What is to be written next; empty when all is.
  ByteView unsent() const { return ByteView(out_).subspan(sent_, out_end_ - sent_); }
  void sent(std::size_t bytes);

 private:
  static constexpr std::size_t kOutMax = wire::kAcceptorBytesMax + wire::kHelloBytesV4;

  Event read_request(ByteView& in);
  Event read_hello(ByteView& in);
  /// Moves bytes from `in` until `want` are in hand; false when `in` ended before.
  bool collect(ByteView& in, std::size_t want);
  Event fail(wire::Fault fault, bool answer = false);

  bool expects_request_ = false;
  bool answer_ = false;
  wire::Fault fault_ = wire::Fault::kTruncated;
  std::uint16_t read_ = 0, out_end_ = 0, sent_ = 0;
  Nid target_;
  wire::ReceivedHello hello_;
  std::array<std::byte, wire::kHelloBytesMax> in_{};
  std::array<std::byte, kOutMax> out_{};
};

}  // namespace ulnet::lnd::sock
