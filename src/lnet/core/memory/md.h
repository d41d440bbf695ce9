// A memory descriptor (MD): memory that a user registers with LNet, with a threshold, options and a
// sink for its events. This file has the record and the rules of one MD; memory_table.h has the
// table of MDs. Source: spec/core-semantics.md 4.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "lnet/base/life_cycle.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/message.h"
#include "lnet/core/memory/responses.h"

namespace ulnet::core {

struct Me;

enum class MdState : std::uint8_t {
  kActive,
  kRetired,  ///< exhausted; unlinks itself when the operations in flight have ended
  kAborted,  ///< unlinked by call or time-out; ends when the operations in flight have ended
  kGone,
  kCount
};
enum class MdEvent : std::uint8_t { kExhausted, kAbort, kIdle, kCount };
/// The transitions between the states. md.cc has the rows.
extern const LifeCycle<MdState, MdEvent> kMdLifeCycle;
const char* to_string(MdState state);
const char* to_string(MdEvent event);

/// The creator of the MD. The events of a user's MD go to its sink. The shard handles the events of
/// its own MDs (portal0.h).
enum class MdOwner : std::uint8_t { kUser, kShard };

struct Md {
  Handle self;
  MdHandle handle;  ///< its handle for users and peers; names its strand too
  MdState state = MdState::kActive;
  MdOwner owner = MdOwner::kUser;
  UnlinkMode unlink = UnlinkMode::kRetain;
  bool passive = false;  ///< it is or was attached to an ME
  Me* me = nullptr;

  const iovec* fragments = nullptr;
  std::uint32_t fragment_count = 0;
  std::uint32_t length = 0;
  std::uint32_t offset = 0;
  std::uint32_t max_size = 0;
  std::uint32_t options = 0;
  std::int32_t threshold = 0;
  std::uint32_t refs = 0;    ///< operations in flight
  std::int32_t cpt = -1;     ///< the partition of its memory; -1: not known
  int abort_status = 0;      ///< kAborted: the status of the last event, if its operation succeeds
  void* user_ptr = nullptr;  ///< kUser: the user's; kShard: the Portal0Md
  EventSink* sink = nullptr;

  MdMessages messages;     ///< operations in flight that are messages of this shard
  ShardSet remote_shards;  ///< shards that received messages into its memory
  Awaited awaited;         ///< ACKs and REPLYs that may still come

  static constexpr std::size_t kInline = 2;
  std::unique_ptr<iovec[]> own_fragments;  ///< more than kInline fragments; MemoryTable reuses it
  iovec inline_fragments[kInline];         ///< at most kInline fragments

  bool has(MdOption option) const { return (options & option) != 0; }
  bool alive() const { return state != MdState::kGone; }
  void on(MdEvent event) { state = kMdLifeCycle.after(state, event); }
};

/// Whether no further operation can begin (4.5).
inline bool exhausted(const Md& md) {
  return md.threshold == 0 ||
         (md.has(kMaxSize) && static_cast<std::uint64_t>(md.offset) + md.max_size > md.length);
}

/// The offset in the MD at which an operation would begin, and the number of bytes that fit (4.5).
/// If the initiator's offset (kManageRemote) is beyond the end, no byte fits.
struct Extent {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};
inline Extent extent(const Md& md, std::uint32_t remote_offset) {
  const std::uint32_t offset = md.has(kManageRemote) ? remote_offset : md.offset;
  std::uint32_t length = offset < md.length ? md.length - offset : 0;
  if (md.has(kMaxSize)) length = std::min(length, md.max_size);
  return {offset, length};
}

/// Begins an operation: lowers the threshold and counts the operation as in flight (4.5).
inline void begin_operation(Md& md) {
  ULNET_ASSERT(md.threshold != 0 && md.alive());
  if (md.threshold != kThresholdInfinite) --md.threshold;
  ++md.refs;
}
/// Sets the MD's offset to the end of the part that a match uses, also when the initiator chose
/// that part (4.5).
inline void advance(Md& md, std::uint32_t offset, std::uint32_t mlength) {
  const std::uint64_t end = static_cast<std::uint64_t>(offset) + mlength;
  md.offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, md.length));
}
/// Retires the MD if it is exhausted and has UnlinkMode::kUnlink (4.5, 4.6), and returns whether it
/// did. To be called after an operation has begun or ended.
inline bool retire_if_exhausted(Md& md) {
  if (md.state != MdState::kActive || md.unlink != UnlinkMode::kUnlink || !exhausted(md))
    return false;
  md.on(MdEvent::kExhausted);
  return true;
}

/// The end of an operation (4.6).
struct OperationEnd {
  int status = 0;         ///< for the event
  bool unlinked = false;  ///< it was the last operation: the MD ends with this event
};
inline OperationEnd end_operation(Md& md, int status) {
  ULNET_ASSERT(md.refs > 0);
  --md.refs;
  retire_if_exhausted(md);
  const bool last = md.refs == 0 && md.state != MdState::kActive;
  if (last && status == 0) status = md.abort_status;
  if (last) md.on(MdEvent::kIdle);
  return {status, last};
}

inline Region region_of(const Md& md, std::uint32_t offset, std::uint32_t length) {
  return {md.fragments, md.fragment_count, offset, length};
}
/// Returns the bytes of the region if they lie in one fragment, nullopt if they lie in several.
std::optional<ByteSpan> one_piece(const Region& region);

}  // namespace ulnet::core
