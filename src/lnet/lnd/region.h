// Walks a Region, a stretch of an MD's memory, from its front in pieces of any size. Every driver
// copies and hands out memory with it.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "lnet/base/bytes.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::lnd {

class RegionCursor {
 public:
  RegionCursor() = default;
  /// The fragments must hold offset + length bytes, and must outlive the cursor.
  explicit RegionCursor(const core::Region& region)
      : fragment_(region.fragments), end_(region.fragments + region.count), left_(region.length) {
    skip_in_fragments(region.offset);
  }

  std::size_t left() const { return left_; }

  /// Returns the next bytes that are contiguous, at most `most`; empty at the end. The cursor does
  /// not move.
  ByteSpan front(std::size_t most = SIZE_MAX) const {
    const iovec* at = fragment_;
    std::size_t skip = skip_;
    while (left_ != 0 && at != end_ && skip == at->iov_len) {
      ++at;
      skip = 0;
    }
    if (left_ == 0 || at == end_) return {};
    const std::size_t here = std::min({at->iov_len - skip, left_, most});
    return {static_cast<std::byte*>(at->iov_base) + skip, here};
  }
  /// Moves the cursor by `count` bytes, at most left().
  void advance(std::size_t count) {
    ULNET_ASSERT(count <= left_);
    left_ -= count;
    skip_in_fragments(count);
  }
  /// Describes the next bytes, at most `most`, in at most `max` vectors. Returns the number of
  /// vectors; `bytes` gets the number of bytes in them. The cursor does not move.
  std::size_t gather(iovec* out, std::size_t max, std::size_t most, std::size_t& bytes) const {
    RegionCursor at = *this;
    std::size_t used = 0;
    bytes = 0;
    while (used < max && bytes < most) {
      const ByteSpan piece = at.front(most - bytes);
      if (piece.empty()) break;
      out[used++] = {piece.data(), piece.size()};
      bytes += piece.size();
      at.advance(piece.size());
    }
    return used;
  }
  /// Copies as much of `from` as fits, moves the cursor, and returns the number of bytes.
  std::size_t fill(ByteView from) {
    std::size_t done = 0;
    while (done < from.size()) {
      const ByteSpan piece = front(from.size() - done);
      if (piece.empty()) break;
      // A node may send to itself from the memory into which it receives.
      std::memmove(piece.data(), from.data() + done, piece.size());
      advance(piece.size());
      done += piece.size();
    }
    return done;
  }
  /// Copies the next bytes into `to` until it is full or no bytes are left, moves the cursor, and
  /// returns the number of bytes.
  std::size_t drain(ByteSpan to) {
    std::size_t done = 0;
    while (done < to.size()) {
      const ByteSpan piece = front(to.size() - done);
      if (piece.empty()) break;
      std::memcpy(to.data() + done, piece.data(), piece.size());
      advance(piece.size());
      done += piece.size();
    }
    return done;
  }

 private:
  void skip_in_fragments(std::size_t count) {
    while (count != 0 && fragment_ != end_) {
      const std::size_t here = std::min(fragment_->iov_len - skip_, count);
      skip_ += here;
      count -= here;
      if (skip_ == fragment_->iov_len) {
        ++fragment_;
        skip_ = 0;
      }
    }
  }

  const iovec* fragment_ = nullptr;
  const iovec* end_ = nullptr;
  std::size_t skip_ = 0;  ///< bytes of *fragment_ that are behind the cursor
  std::size_t left_ = 0;
};

/// Copies as many bytes as the shorter of the two regions has; returns their number.
inline std::size_t copy_region(const core::Region& from, const core::Region& to) {
  RegionCursor source(from);
  RegionCursor sink(to);
  std::size_t done = 0;
  for (;;) {
    const ByteSpan piece = source.front(sink.left());
    if (piece.empty()) return done;
    const std::size_t copied = sink.fill(piece);
    if (copied == 0) return done;
    source.advance(copied);
    done += copied;
  }
}

}  // namespace ulnet::lnd
