#include "lnet/lnd/sock/engine/tx_queue.h"

#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/lnd/region.h"
#include "lnet/wire/ksock_hello.h"
#include "lnet/wire/lnet_header.h"

namespace ulnet::lnd::sock {
namespace {

/// Payload below this size is copied behind its headers: that is cheaper than a vector of its own.
constexpr std::size_t kCopyBelow = 2048;

std::size_t frame_size(std::uint32_t version) { return version == 1 ? 0 : wire::kFrameBytes; }
std::size_t headers_size(const Tx& tx, std::uint32_t version) {
  if (tx.is_noop) return wire::kFrameBytes;
  return frame_size(version) + wire::header_bytes(wire::header_form(version));
}

/// The checksum of a version 2 message, over everything that travels. Later versions send 0
/// (spec/wire-socklnd.md 6.1).
std::uint32_t message_checksum(const Tx& tx, ByteView frame, ByteView header) {
  wire::Crc32 crc = wire::begin_checksum(2, frame, header);
  RegionCursor payload(tx.send.payload);
  for (ByteSpan piece = payload.front(); !piece.empty(); piece = payload.front()) {
    crc.update(piece);
    payload.advance(piece.size());
  }
  return crc.value();
}

void encode(Tx& tx, ByteSpan out, const TxStyle& style, std::int32_t& corrupt) {
  const std::size_t before = frame_size(style.version);
  const ByteSpan frame_bytes = out.first(before);
  const ByteSpan header_bytes = out.subspan(before);
  wire::Frame frame = tx.acks.frame();
  if (!tx.is_noop) {
    frame = {wire::FrameType::kLnet, 0, tx.cookie0, tx.cookie1};
    wire::encode_header(tx.send.header, wire::header_form(style.version), header_bytes);
  }
  if (style.version == 1) return;
  wire::encode_frame(frame, frame_bytes);
  if (style.version != 2 || !style.checksum) return;
  if (!tx.checksummed) {
    tx.checksum = tx.is_noop ? wire::noop_checksum(2, frame_bytes)
                             : message_checksum(tx, frame_bytes, header_bytes);
    if (corrupt > 0) {
      --corrupt;
      tx.checksum = ~tx.checksum;
    }
    tx.checksummed = true;
  }
  frame.checksum = tx.checksum;
  wire::encode_frame(frame, frame_bytes);
}

/// Collects vectors for writing; contiguous pieces become one vector.
class Vectors {
 public:
  Vectors(iovec* out, std::size_t max) : out_(out), max_(max) {}
  bool full() const { return used_ == max_; }
  std::size_t used() const { return used_; }
  std::size_t bytes() const { return bytes_; }

  void add(ByteView piece) {
    if (piece.empty()) return;
    // sendmsg() only reads, but iovec has no const form.
    auto* base = const_cast<std::byte*>(piece.data());  // NOLINT
    bytes_ += piece.size();
    if (used_ != 0 &&
        static_cast<std::byte*>(out_[used_ - 1].iov_base) + out_[used_ - 1].iov_len == base) {
      out_[used_ - 1].iov_len += piece.size();
    } else {
      out_[used_++] = {base, piece.size()};
    }
  }
  /// Adds the payload; false if there was no room for all of it.
  bool add(const RegionCursor& payload) {
    std::size_t bytes = 0;
    used_ += payload.gather(out_ + used_, max_ - used_, SIZE_MAX, bytes);
    bytes_ += bytes;
    return bytes == payload.left();
  }

 private:
  iovec* out_;
  std::size_t max_;
  std::size_t used_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

void TxList::push(Tx* tx) {
  tx->next = nullptr;
  (tail_ == nullptr ? head_ : tail_->next) = tx;
  tail_ = tx;
}

Tx* TxList::pop() {
  Tx* tx = head_;
  if (tx == nullptr) return nullptr;
  head_ = tx->next;
  if (head_ == nullptr) tail_ = nullptr;
  tx->next = nullptr;
  return tx;
}

void TxList::take_all(TxList& from) {
  while (Tx* tx = from.pop()) push(tx);
}

std::uint32_t TxQueue::size_of(const core::Send& send, std::uint32_t version) {
  return static_cast<std::uint32_t>(frame_size(version) +
                                    wire::header_bytes(wire::header_form(version))) +
         send.payload.length;
}

Tx* TxQueue::push(Tx* message, const TxStyle& style) {
  message->bytes = size_of(message->send, style.version);
  bytes_ += message->bytes;
  list_.push(message);
  carrier_ = message;
  if (noop_ == nullptr || noop_->begun() || style.version == 1) return nullptr;
  // The NOOP's single cookie goes into the message; a message makes a keepalive superfluous.
  const wire::Frame frame = noop_->acks.frame();
  if (frame.cookie0 != 0) return nullptr;
  if (!noop_->acks.is_keepalive()) message->cookie1 = frame.cookie1;
  const Tx* victim = noop_;
  return take_if([victim](const Tx& tx) { return &tx == victim; });
}

void TxQueue::push_noop(Tx* noop) {
  noop->is_noop = true;
  noop->bytes = wire::kFrameBytes;
  bytes_ += noop->bytes;
  list_.push(noop);
  noop_ = noop;
}

bool TxQueue::merge_ack(std::uint64_t cookie, const TxStyle& style) {
  if (noop_ != nullptr && !noop_->begun()) {
    if (!noop_->acks.merge(cookie)) return false;
    noop_->checksummed = false;
    return true;
  }
  const bool keepalive_like = cookie == wire::kKeepaliveCookie;
  if (carrier_ == nullptr || carrier_->begun() || carrier_->cookie1 != 0 || keepalive_like ||
      style.version == 1)
    return false;
  carrier_->cookie1 = cookie;
  carrier_->checksummed = false;
  return true;
}

std::size_t TxQueue::gather(iovec* out, std::size_t max, ByteSpan scratch, std::size_t enough,
                            const TxStyle& style, std::int32_t& corrupt) {
  Vectors vectors(out, max);
  for (Tx* tx = list_.front(); tx != nullptr && vectors.bytes() < enough && !vectors.full();
       tx = tx->next) {
    const std::size_t headers = headers_size(*tx, style.version);
    if (scratch.size() < headers) break;
    std::size_t skip = tx->written;
    if (skip < headers) {
      encode(*tx, scratch.first(headers), style, corrupt);
      vectors.add(scratch.subspan(skip, headers - skip));
      scratch = scratch.subspan(headers);
      skip = 0;
    } else {
      skip -= headers;
    }
    if (tx->bytes == headers) continue;
    RegionCursor payload(tx->send.payload);
    payload.advance(skip);
    if (payload.left() <= std::min(kCopyBelow, scratch.size())) {
      const ByteSpan copy = scratch.first(payload.left());
      scratch = scratch.subspan(copy.size());
      copied_ += payload.drain(copy);
      vectors.add(copy);
    } else if (!vectors.add(payload)) {
      break;
    }
  }
  return vectors.used();
}

Tx* TxQueue::take_front() {
  Tx* tx = list_.pop();
  if (tx != nullptr) forget(tx);
  return tx;
}

void TxQueue::forget(Tx* tx) {
  bytes_ -= tx->bytes - tx->written;
  if (noop_ == tx) noop_ = nullptr;
  if (carrier_ == tx) carrier_ = nullptr;
}

}  // namespace ulnet::lnd::sock
