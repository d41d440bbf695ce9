// The reading half of an open connection: turns bytes into frames, headers and payload. The caller
// calls next() until it wants more input. After a header, next() goes on only when land() or
// discard() has decided about the payload. direct() says where the next bytes of payload belong, so
// that they are read straight into their memory. Source: spec/wire-socklnd.md 6, 12.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "lnet/base/bytes.h"
#include "lnet/lnd/region.h"
#include "lnet/wire/ksock_frame.h"
#include "lnet/wire/lnet_header.h"

namespace ulnet::lnd::sock {

class Receiver {
 public:
  enum class Event : std::uint8_t {
    kMore,     ///< all input was consumed
    kNoop,     ///< frame() is a NOOP; its checksum, if any, is right
    kFrame,    ///< frame() precedes a message and has an ACK in cookie 1
    kHeader,   ///< a header was read; call land() or discard(), then next()
    kVerdict,  ///< land() or discard() has not been called yet; nothing was consumed
    kPayload,  ///< the payload was read to its end, see checksum_wrong()
    kBadFrame,
    kBadChecksum,  ///< a NOOP has a wrong checksum
    kBadHeader,    ///< see error()
  };

  /// Starts reading with the version and the byte order of the peer's hello (spec/wire-socklnd.md
  /// 4.4).
  void open(std::uint32_t version, Order order);

  /// Reads `in` up to the next event. `header` is set at kHeader.
  Event next(ByteView& in, wire::LnetHeader& header);

  const wire::Frame& frame() const { return frame_; }
  std::uint32_t payload_length() const { return payload_length_; }
  wire::DecodeError error() const { return error_; }
  bool checksum_wrong() const { return checksum_wrong_; }
  /// Whether the message has a checksum, which is compared when its payload has been read.
  bool must_be_checked() const { return verify_; }

  /// The payload goes to `sink`; bytes that do not fit are discarded. The sink's fragments must
  /// stay valid until kPayload.
  void land(const core::Region& sink);
  void discard() { land({}); }
  /// From now on the payload goes to `sink`, which is for the bytes not read yet. The caller has
  /// already moved the bytes that were read to their place.
  void redirect(const core::Region& sink) { sink_ = RegionCursor(sink); }

  /// Describes where the next bytes of payload belong, in at most `max` vectors; returns how
  /// many. 0: not in the middle of a payload, or the rest is discarded.
  std::size_t direct(iovec* out, std::size_t max, std::size_t& bytes) const {
    bytes = 0;
    return phase_ == Phase::kBody ? sink_.gather(out, max, SIZE_MAX, bytes) : 0;
  }
  /// `bytes` bytes were read to the place that direct() gave.
  void landed(std::size_t bytes);
  /// How many bytes to read after those of direct(). After a large payload these are only the
  /// next headers, so that another payload after them can be read in place too; else `most`.
  std::size_t read_ahead(std::size_t most) const;

  /// Whether a message has been read in part. The connection then fails if nothing more arrives
  /// (spec/wire-socklnd.md 10).
  bool mid_message() const { return phase_ != first_phase() || carried_ != 0; }
  std::uint32_t payload_left() const { return payload_left_; }
  /// How many bytes of payload next() has copied since the last call.
  std::uint32_t take_copied() { return std::exchange(copied_, 0U); }

 private:
  enum class Phase : std::uint8_t { kFrame, kHeader, kVerdict, kBody };
  static constexpr std::uint32_t kLargePayload = 8192;

  /// Takes `want` bytes from `in` and returns them as one contiguous view. If `in` has fewer bytes,
  /// keeps them and returns an empty view; a later call with the next input completes them.
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
  std::uint8_t carried_ = 0;  ///< bytes in carry_
  bool verify_ = false;       ///< the checksum of this message is computed and compared
  bool checksum_wrong_ = false;
  wire::DecodeError error_ = wire::DecodeError::kTruncated;
  std::uint32_t payload_length_ = 0;
  std::uint32_t payload_left_ = 0;
  std::uint32_t copied_ = 0;  ///< since take_copied()
  wire::Crc32 checksum_;
  wire::Frame frame_;
  RegionCursor sink_;
  std::array<std::byte, wire::kHeaderBytesMax> carry_{};  ///< the beginning of a frame or header
};

}  // namespace ulnet::lnd::sock
