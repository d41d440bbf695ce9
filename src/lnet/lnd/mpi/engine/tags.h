// The tags of transfers. A message of a transfer is matched by its source and its tag, so two
// transfers from one process to another must not have the same tag at a time. The sender chooses
// the tag of a PUT or REPLY, which is even; the receiver chooses the tag of a GET's data, which is
// odd. So neither needs to know the other's tags. Source: docs/MPI-PROTOCOL.md.
#pragma once

#include <cstdint>
#include <deque>

#include "lnet/base/assert.h"

namespace ulnet::lnd::mpi {

using Tag = std::uint32_t;

/// The tag of all short messages. Tag 0 names nothing.
inline constexpr Tag kShortTag = 1;

/// Hands out the even or the odd tags from 2 or 3 up to a maximum. A tag that was given back is
/// handed out again as late as possible. One thread at a time.
class Tags {
 public:
  enum class Parity : std::uint8_t { kEven, kOdd };
  /// `max`: the greatest tag that the MPI has (MPI_TAG_UB), at least 3.
  Tags(Parity parity, Tag max) : next_(parity == Parity::kEven ? 2 : 3), max_(max) {
    ULNET_ASSERT(max >= 3);
  }

  /// 0: all tags are in use.
  Tag take() {
    if (next_ <= max_) {
      const Tag fresh = next_;
      next_ = fresh > max_ - 2 ? max_ + 1 : fresh + 2;
      ++in_use_;
      return fresh;
    }
    if (free_.empty()) return 0;
    const Tag tag = free_.front();
    free_.pop_front();
    ++in_use_;
    return tag;
  }
  void give(Tag tag) {
    ULNET_ASSERT(in_use_ > 0);
    --in_use_;
    free_.push_back(tag);
  }
  std::uint32_t in_use() const { return in_use_; }

 private:
  Tag next_;  ///< the lowest tag that was never handed out; above max_: none
  const Tag max_;
  std::deque<Tag> free_;  ///< given back; the oldest first
  std::uint32_t in_use_ = 0;
};

}  // namespace ulnet::lnd::mpi
