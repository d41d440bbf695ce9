// The handshake of one connection: the bytes still to be written, and the peer's request and hello
// as far as they were read. The engine takes the decisions. A Greeting exists until the connection
// carries messages. Source: spec/wire-socklnd.md 1, 3, 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lnet/base/bytes.h"
#include "lnet/wire/acceptor.h"
#include "lnet/wire/ksock_hello.h"

namespace ulnet::lnd::sock {

class Greeting {
 public:
  enum class Event : std::uint8_t {
    kMore,      ///< all input was consumed; more must come
    kRequest,   ///< passive: the request was read, see target()
    kHello,     ///< the hello was read, see hello(); the rest of the input follows it
    kBadBytes,  ///< the bytes are wrong, see error(), and for a request answer_request()
  };

  /// The active side: writes the request and the hello, then reads a hello.
  static Greeting active(const Nid& target, const wire::Hello& hello);
  /// The passive side: reads a request, then a hello; say() adds its answers.
  static Greeting passive();
  /// The passive side of a connection whose request and hello another engine has read.
  static Greeting resumed(const wire::ReceivedHello& hello);

  /// Consumes bytes from the front of `in` up to the next event.
  Event read(ByteView& in);

  const Nid& target() const { return target_; }
  const wire::ReceivedHello& hello() const { return hello_; }
  wire::DecodeError error() const { return error_; }
  /// After an error in a request: whether the engine answers the peer before it closes the
  /// connection.
  bool answer_request() const { return answer_; }

  /// Appends to what is to be written.
  void say(const wire::Hello& hello);
  void say(const wire::AcceptorRequest& request);
  /// The bytes to write next; empty when all are written.
  ByteView unsent() const { return ByteView(out_).subspan(sent_, out_end_ - sent_); }
  /// The first `bytes` bytes of unsent() were written.
  void sent(std::size_t bytes);

 private:
  static constexpr std::size_t kOutMax = wire::kAcceptorBytesMax + wire::kHelloBytesV4;

  Event read_request(ByteView& in);
  Event read_hello(ByteView& in);
  /// Moves bytes from `in` to in_ until it holds `want` bytes; false if `in` ended before.
  bool collect(ByteView& in, std::size_t want);
  Event fail(wire::DecodeError error, bool answer = false);

  bool expects_request_ = false;
  bool answer_ = false;
  wire::DecodeError error_ = wire::DecodeError::kTruncated;
  std::uint16_t read_ = 0, out_end_ = 0, sent_ = 0;
  Nid target_;
  wire::ReceivedHello hello_;
  std::array<std::byte, wire::kHelloBytesMax> in_{};
  std::array<std::byte, kOutMax> out_{};
};

}  // namespace ulnet::lnd::sock
