#include "lnet/lnd/sock/engine/receiver.h"

#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/wire/ksock_hello.h"

namespace ulnet::lnd::sock {

void Receiver::open(std::uint32_t version, Order order) {
  version_ = static_cast<std::uint8_t>(version);
  order_ = order;
  form_ = wire::header_form(version);
  phase_ = first_phase();
}

Receiver::Event Receiver::next(ByteView& in, wire::LnetHeader& header) {
  switch (phase_) {
    case Phase::kFrame: {
      const Event event = read_frame(in);
      if (event != Event::kMore || phase_ != Phase::kHeader) return event;
      return read_header(in, header);
    }
    case Phase::kHeader:
      return read_header(in, header);
    case Phase::kVerdict:
      return Event::kVerdict;
    case Phase::kBody:
      return read_body(in);
  }
  return Event::kMore;
}

ByteView Receiver::take(ByteView& in, std::size_t want) {
  if (carried_ == 0 && in.size() >= want) {
    const ByteView taken = in.first(want);
    in = in.subspan(want);
    return taken;
  }
  const std::size_t count = std::min(want - carried_, in.size());
  std::copy_n(in.begin(), count, carry_.begin() + carried_);
  in = in.subspan(count);
  carried_ = static_cast<std::uint8_t>(carried_ + count);
  if (carried_ < want) return {};
  carried_ = 0;
  return ByteView(carry_).first(want);
}

Receiver::Event Receiver::read_frame(ByteView& in) {
  const ByteView bytes = take(in, wire::kFrameBytes);
  if (bytes.empty()) return Event::kMore;
  const auto frame = wire::decode_frame(bytes, order_);
  if (!frame) return Event::kBadFrame;
  frame_ = *frame;
  if (frame_.type == wire::FrameType::kLnet) {
    phase_ = Phase::kHeader;
    return frame_.cookie1 != 0 ? Event::kFrame : Event::kMore;
  }
  if (frame_.checksum != 0 && frame_.checksum != wire::noop_checksum(version_, bytes))
    return Event::kBadChecksum;
  return Event::kNoop;
}

Receiver::Event Receiver::read_header(ByteView& in, wire::LnetHeader& header) {
  const ByteView bytes = take(in, header_size());
  if (bytes.empty()) return Event::kMore;
  auto decoded = wire::decode_header(bytes, form_);
  if (!decoded) {
    error_ = decoded.error();
    return Event::kBadHeader;
  }
  header = *decoded;
  payload_length_ = payload_left_ = header.payload_length;
  checksum_wrong_ = false;
  verify_ = version_ != 1 && frame_.checksum != 0;
  if (verify_) {
    std::array<std::byte, wire::kFrameBytes> frame_bytes;
    wire::encode_frame({frame_.type, 0, frame_.cookie0, frame_.cookie1}, frame_bytes, order_);
    checksum_ = wire::begin_checksum(version_, frame_bytes, bytes);
  }
  phase_ = Phase::kVerdict;
  return Event::kHeader;
}

void Receiver::land(const core::Region& sink) {
  ULNET_ASSERT(phase_ == Phase::kVerdict && sink.length <= payload_length_);
  sink_ = RegionCursor(sink);
  // The checksum of payload that is cut or discarded is not verified (spec/wire-socklnd.md 6.1).
  if (sink.length != payload_length_) verify_ = false;
  phase_ = Phase::kBody;
}

Receiver::Event Receiver::read_body(ByteView& in) {
  const std::size_t count = std::min<std::size_t>(payload_left_, in.size());
  const ByteView bytes = in.first(count);
  if (verify_) checksum_.update(bytes);
  copied_ += static_cast<std::uint32_t>(sink_.fill(bytes));
  payload_left_ -= static_cast<std::uint32_t>(count);
  in = in.subspan(count);
  return payload_left_ == 0 ? finish() : Event::kMore;
}

void Receiver::landed(std::size_t bytes) {
  ULNET_ASSERT(phase_ == Phase::kBody && bytes <= payload_left_ && bytes <= sink_.left());
  payload_left_ -= static_cast<std::uint32_t>(bytes);
  if (!verify_) return sink_.advance(bytes);
  while (bytes != 0) {
    const ByteSpan piece = sink_.front(bytes);
    checksum_.update(piece);
    sink_.advance(piece.size());
    bytes -= piece.size();
  }
}

Receiver::Event Receiver::finish() {
  checksum_wrong_ = verify_ && checksum_.value() != frame_.checksum;
  phase_ = first_phase();
  return Event::kPayload;
}

std::size_t Receiver::read_ahead(std::size_t most) const {
  const std::size_t headers = (version_ == 1 ? 0 : wire::kFrameBytes) + header_size();
  const bool large = payload_length_ >= kLargePayload;
  switch (phase_) {
    case Phase::kFrame:
      return large ? std::min(most, headers - carried_) : most;
    case Phase::kHeader:
      return large ? std::min(most, header_size() - carried_) : most;
    case Phase::kVerdict:
      return 0;
    case Phase::kBody:
      break;
  }
  if (sink_.left() < payload_left_) return most;  // the rest of this payload is discarded
  return large ? std::min(most, headers) : most;
}

}  // namespace ulnet::lnd::sock
