#include "lnet/lnd/sock/engine/greeting.h"

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet::lnd::sock {

Greeting Greeting::active(const Nid& target, const wire::Hello& hello) {
  Greeting greeting;
  greeting.target_ = target;
  greeting.say(wire::AcceptorRequest::to(target));
  greeting.say(hello);
  return greeting;
}

Greeting Greeting::passive() {
  Greeting greeting;
  greeting.expects_request_ = true;
  return greeting;
}

Greeting Greeting::resumed(const wire::ReceivedHello& hello) {
  Greeting greeting;
  greeting.hello_ = hello;
  return greeting;
}

Greeting::Event Greeting::read(ByteView& in) {
  return expects_request_ ? read_request(in) : read_hello(in);
}

Greeting::Event Greeting::read_request(ByteView& in) {
  for (;;) {
    const auto want = wire::acceptor_bytes(ByteView(in_).first(read_));
    if (!want) return fail(want.error().why, want.error().answer);
    if (*want <= read_) break;
    if (!collect(in, *want)) return Event::kMore;
  }
  const auto request = wire::decode_acceptor(ByteView(in_).first(read_));
  if (!request) return fail(request.error().why, request.error().answer);
  target_ = request->target;
  expects_request_ = false;
  read_ = 0;
  return Event::kRequest;
}

Greeting::Event Greeting::read_hello(ByteView& in) {
  for (;;) {
    const auto want = wire::hello_bytes(ByteView(in_).first(read_));
    if (!want) return fail(want.error());
    if (*want <= read_) break;
    if (!collect(in, *want)) return Event::kMore;
  }
  auto hello = wire::decode_hello(ByteView(in_).first(read_));
  if (!hello) return fail(hello.error());
  hello_ = std::move(*hello);
  return Event::kHello;
}

bool Greeting::collect(ByteView& in, std::size_t want) {
  ULNET_ASSERT(want <= in_.size());
  const std::size_t count = std::min(want - read_, in.size());
  std::copy_n(in.begin(), count, in_.begin() + read_);
  read_ = static_cast<std::uint16_t>(read_ + count);
  in = in.subspan(count);
  return read_ == want;
}

Greeting::Event Greeting::fail(wire::DecodeError error, bool answer) {
  error_ = error;
  answer_ = answer;
  return Event::kBadBytes;
}

void Greeting::say(const wire::Hello& hello) {
  const std::size_t bytes = wire::hello_bytes(hello);
  wire::encode_hello(hello, ByteSpan(out_).subspan(out_end_, bytes));
  out_end_ = static_cast<std::uint16_t>(out_end_ + bytes);
}

void Greeting::say(const wire::AcceptorRequest& request) {
  const std::size_t bytes = wire::acceptor_bytes(request);
  wire::encode_acceptor(request, ByteSpan(out_).subspan(out_end_, bytes));
  out_end_ = static_cast<std::uint16_t>(out_end_ + bytes);
}

void Greeting::sent(std::size_t bytes) {
  ULNET_ASSERT(sent_ + bytes <= out_end_);
  sent_ = static_cast<std::uint16_t>(sent_ + bytes);
}

}  // namespace ulnet::lnd::sock
