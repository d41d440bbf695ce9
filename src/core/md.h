// A memory descriptor: memory that a user lends to LNet, and what may be done with it. The record
// and its arithmetic; the table of them is memory.h. Source: spec/core-semantics.md 4.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/canary.h"
#include "core/life_cycle.h"
#include "core/message.h"
#include "core/placement.h"
#include "core/ports.h"
#include "core/response.h"

namespace ulnet::core {

struct Me;

enum class MdState : std::uint8_t {
  kActive,
  kRetired,  ///< exhausted and to be unlinked by itself; operations are still in flight
  kAborted,  ///< unlinked by call or by time; operations are still in flight
  kGone,
  kCount
};
enum class MdEvent : std::uint8_t { kExhausted, kAbort, kIdle, kCount };
/// The rows are in md.cc.
extern const LifeCycle<MdState, MdEvent> kMdLife;
const char* to_string(MdState state);
const char* to_string(MdEvent event);

/// Whose events these are: a user's go to a sink, the shard's own are handled inside (own.h).
enum class MdOwner : std::uint8_t { kUser, kShard };

struct Md {
  Handle self;
  MdHandle handle;  ///< the name of it outside, and the name of its strand
  MdState state = MdState::kActive;
  MdOwner owner = MdOwner::kUser;
  UnlinkMode unlink = UnlinkMode::kRetain;
  bool passive = false;  ///< attached to an ME, now or before
  Me* me = nullptr;

  const iovec* fragments = nullptr;
  std::uint32_t fragment_count = 0;
  std::uint32_t length = 0;
  std::uint32_t offset = 0;
  std::uint32_t max_size = 0;
  std::uint32_t options = 0;
  std::int32_t threshold = 0;
  std::uint32_t refs = 0;    ///< operations in flight
  int abort_status = 0;      ///< kAborted: what an operation that went well ends with
  void* user_ptr = nullptr;  ///< of the user; for kShard the OwnMd
  EventSink* sink = nullptr;

  MdMessages messages;  ///< those operations that are messages now
  ShardSet away;        ///< other shards that may have more of them
  Awaited awaited;      ///< responses that may still come

  static constexpr std::size_t kInline = 2;
  std::unique_ptr<iovec[]> own_fragments;  ///< when there are more; goes back to the table
  iovec inline_fragments[kInline];         ///< used when there are so few

  bool has(MdOption option) const { return (options & option) != 0; }
  bool alive() const { return state != MdState::kGone; }
  void on(MdEvent event) { state = kMdLife.after(state, event); }
};

/// No further operation can begin (4.5).
inline bool exhausted(const Md& md) {
  const std::uint32_t room_needed = ULNET_CANARY(kRingTooLate) ? 1 : md.max_size;
  return md.threshold == 0 ||
         (md.has(kMaxSize) && static_cast<std::uint64_t>(md.offset) + room_needed > md.length);
}

/// Where an operation would lie and how much of it fits (4.5). A remotely managed offset beyond the
/// end leaves no room.
struct Room {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};
inline Room room(const Md& md, std::uint32_t remote_offset) {
  const std::uint32_t offset = md.has(kManageRemote) ? remote_offset : md.offset;
  std::uint32_t length = offset < md.length ? md.length - offset : 0;
  if (md.has(kMaxSize)) length = std::min(length, md.max_size);
  return {offset, length};
}

/// An operation begins: it is counted and, when the threshold is reached, the MD is used up (4.5).
inline void begin_operation(Md& md) {
  ULNET_ASSERT(md.threshold != 0 && md.alive());
  if (md.threshold != kThresholdInfinite) --md.threshold;
  ++md.refs;
}
/// After a match the local offset stands behind what was used, also when the peer chose the place
/// (4.5).
inline void advance(Md& md, std::uint32_t offset, std::uint32_t mlength) {
  const std::uint64_t end = static_cast<std::uint64_t>(offset) + mlength;
  md.offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, md.length));
}
/// To be called when an operation has begun: an exhausted MD that unlinks itself retires now
/// (4.5, 4.6). True when it did.
inline bool retire_if_exhausted(Md& md) {
  if (md.state != MdState::kActive || md.unlink != UnlinkMode::kUnlink || !exhausted(md))
    return false;
  md.on(MdEvent::kExhausted);
  return true;
}

/// What the end of an operation means for the MD (4.6).
struct OperationEnd {
  int status = 0;         ///< for the event
  bool unlinked = false;  ///< it is the last one
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

}  // namespace ulnet::core
