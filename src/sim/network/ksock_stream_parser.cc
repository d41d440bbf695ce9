#include "sim/network/ksock_stream_parser.h"

#include <algorithm>

namespace ulnet::sim {

static_assert(wire::kHelloBytesMax >= wire::kAcceptorBytesMax &&
              wire::kHelloBytesMax >= wire::kHeaderBytesMax);

bool KsockStreamParser::collect(ByteView& in, std::size_t want) {
  if (want > hand_.size()) want = hand_.size();
  if (want > held_) {
    const std::size_t here = std::min(want - held_, in.size());
    std::copy_n(in.begin(), here, hand_.begin() + static_cast<std::ptrdiff_t>(held_));
    held_ += here;
    heard_ += here;
    in = in.subspan(here);
  }
  return held_ >= want;
}

KsockStreamParser::Heard KsockStreamParser::nonsense() {
  state_ = State::kDeaf;
  return Heard::kNonsense;
}

KsockStreamParser::Heard KsockStreamParser::next(ByteView& in) {
  switch (state_) {
    case State::kRequest:
      return hear_request(in);
    case State::kHello:
      return hear_hello(in);
    case State::kFrame:
      return hear_frame(in);
    case State::kHeader:
      return hear_header(in);
    case State::kPayload:
      return hear_payload(in);
    case State::kDeaf:
      break;
  }
  heard_ += in.size();
  in = {};
  return Heard::kMore;
}

KsockStreamParser::Heard KsockStreamParser::hear_request(ByteView& in) {
  for (;;) {
    const auto want = wire::acceptor_bytes(in_hand());
    if (!want) return nonsense();
    if (*want <= held_) break;
    if (!collect(in, *want)) return Heard::kMore;
  }
  const auto request = wire::decode_acceptor(in_hand());
  if (!request) return nonsense();
  request_ = *request;
  held_ = 0;
  state_ = dialled_ ? State::kHello : State::kDeaf;
  return Heard::kRequest;
}

KsockStreamParser::Heard KsockStreamParser::hear_hello(ByteView& in) {
  for (;;) {
    const auto want = wire::hello_bytes(in_hand());
    if (!want && !dialled_ && wire::acceptor_bytes(in_hand())) {
      state_ = State::kRequest;
      return hear_request(in);
    }
    if (!want) return nonsense();
    if (*want <= held_) break;
    if (!collect(in, *want)) return Heard::kMore;
  }
  const auto hello = wire::decode_hello(in_hand());
  if (!hello) return nonsense();
  hello_ = *hello;
  held_ = 0;
  state_ = after_message();
  return Heard::kHello;
}

KsockStreamParser::Heard KsockStreamParser::hear_frame(ByteView& in) {
  if (!collect(in, wire::kFrameBytes)) return Heard::kMore;
  const auto frame = wire::decode_frame(in_hand(), hello_.order);
  if (!frame) return nonsense();
  frame_ = *frame;
  frame_end_ = heard_;
  held_ = 0;
  if (frame_.type == wire::FrameType::kNoop) return Heard::kNoop;
  state_ = State::kHeader;
  return next(in);
}

KsockStreamParser::Heard KsockStreamParser::hear_header(ByteView& in) {
  const wire::HeaderForm form = wire::header_form(version());
  if (!collect(in, wire::header_bytes(form))) return Heard::kMore;
  const auto header = wire::decode_header(in_hand(), form);
  if (!header) return nonsense();
  header_ = *header;
  held_ = 0;
  left_ = header_.payload_length;
  state_ = State::kPayload;
  return Heard::kMessage;
}

KsockStreamParser::Heard KsockStreamParser::hear_payload(ByteView& in) {
  if (left_ == 0) {
    state_ = after_message();
    return Heard::kEnd;
  }
  if (in.empty()) return Heard::kMore;
  piece_ = in.first(std::min<std::size_t>(in.size(), left_));
  left_ -= static_cast<std::uint32_t>(piece_.size());
  heard_ += piece_.size();
  in = in.subspan(piece_.size());
  return Heard::kPayload;
}

// ---- encoding -----------------------------------------------------------------------------------

std::vector<std::byte> words(const wire::AcceptorRequest& request) {
  std::vector<std::byte> bytes(wire::acceptor_bytes(request));
  wire::encode_acceptor(request, bytes);
  return bytes;
}

std::vector<std::byte> words(const wire::Hello& hello) {
  std::vector<std::byte> bytes(wire::hello_bytes(hello));
  wire::encode_hello(hello, bytes);
  return bytes;
}

std::vector<std::byte> words(const wire::Frame& frame) {
  std::vector<std::byte> bytes(wire::kFrameBytes);
  wire::encode_frame(frame, bytes);
  return bytes;
}

std::vector<std::byte> words(const wire::LnetHeader& header, ByteView payload,
                             std::uint32_t version, const wire::Frame& frame) {
  std::vector<std::byte> bytes;
  if (version > 1) bytes = words(frame);
  const wire::HeaderForm form = wire::header_form(version);
  const std::size_t at = bytes.size();
  bytes.resize(at + wire::header_bytes(form));
  wire::encode_header(header, form, ByteSpan(bytes).subspan(at));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

}  // namespace ulnet::sim
