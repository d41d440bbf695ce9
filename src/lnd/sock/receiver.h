// The reading half of an open connection: bytes in, what they were out. A pull machine: next()
// consumes up to one thing; after a header it goes no further until it was told what becomes of the
// payload. Payload goes straight to its memory: direct() says where the next bytes belong. Source:
// spec/wire-socklnd.md 6, 12.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "lnd/region.h"
#include "wire/ksock_frame.h"
#include "wire/lnet_header.h"

namespace ulnet::lnd::sock {

class Receiver {
 public:
  enum class Event : std::uint8_t {
    kMore,     ///< everything was consumed
    kNoop,     ///< frame() is a NOOP, its checksum was right
    kFrame,    ///< frame() announces a message and carries an ACK in cookie 1
    kHeader,   ///< a header was read; next: land() or discard(), then go on
    kVerdict,  ///< still no land() or discard(): nothing was consumed
    kPayload,  ///< the payload has been read to its end; checksum_wrong() is known
    kBadFrame,
    kBadChecksum,  ///< of a NOOP
    kBadHeader,    ///< fault() says why
  };

  /// What the hello settled (spec/wire-socklnd.md 4.4).
  void open(std::uint32_t version, Order order);

  /// `header` is written at kHeader.
  Event next(ByteView& in, wire::LnetHeader& header);

  const wire::Frame& frame() const { return frame_; }
  std::uint32_t payload_length() const { return payload_length_; }
  wire::Fault fault() const { return fault_; }
  bool checksum_wrong() const { return checksum_wrong_; }

  /// Where the payload goes: the region, and what it does not hold is discarded. Valid until
  /// kPayload.
  void land(const core::Region& sink);
  void discard() { land({}); }
  /// From here on the payload goes elsewhere: `sink` is where the rest belongs. What was read so
  /// far is the caller's.
  void redirect(const core::Region& sink) { sink_ = RegionCursor(sink); }

  /// Describes where the next bytes of payload belong; 0 when they do not belong anywhere yet.
  std::size_t direct(iovec* out, std::size_t max, std::size_t& bytes) const {
    bytes = 0;
    return phase_ == Phase::kBody ? sink_.gather(out, max, SIZE_MAX, bytes) : 0;
  }
  /// So many bytes were read to where direct() said.
  void landed(std::size_t bytes);
  /// How much to read beyond direct(): after a large payload only the next headers, so that a
  /// payload that follows can be read in place; else `most`.
  std::size_t read_ahead(std::size_t most) const;

  bool awaits_verdict() const { return phase_ == Phase::kVerdict; }
  /// In the middle of a message: silence now is a failure (spec/wire-socklnd.md 10).
  bool mid_message() const { return phase_ != first_phase() || carried_ != 0; }
  std::uint32_t payload_left() const { return payload_left_; }

 private:
  enum class Phase : std::uint8_t { kFrame, kHeader, kVerdict, kBody };
  static constexpr std::uint32_t kLargePayload = 8192;

  /// `want` bytes together, from `in` itself or collected over several calls; empty when `in` ended
  /// before.
  ByteView take(ByteView& in, std::size_t want);
  Event read_frame(ByteView& in);
  Event read_header(ByteView& in, wire::LnetHeader& header);
  Event read_body(ByteView& in);
  Event finish();
  Phase first_phase() const { return version_ == 1 ? Phase::kHeader : Phase::kFrame; }
  std::size_t header_size() const { return wire::header_bytes(form_); }

  Phase phase_ = Phase::kFrame;
  wire::HeaderForm form_ = wire::HeaderForm::kNid4;
  Order order_ = Order::kLittle;
  std::uint8_t version_ = 3;
  std::uint8_t carried_ = 0;
  bool verify_ = false;  ///< this message's checksum is being computed
  bool checksum_wrong_ = false;
  wire::Fault fault_ = wire::Fault::kTruncated;
  std::uint32_t payload_length_ = 0;
  std::uint32_t payload_left_ = 0;
  wire::Crc32 checksum_;
  wire::Frame frame_;
  RegionCursor sink_;
  std::array<std::byte, wire::kHeaderBytesMax> carry_{};
};

}  // namespace ulnet::lnd::sock
