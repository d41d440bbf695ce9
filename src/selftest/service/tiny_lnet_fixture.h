// For tests: an LNet of one node that sends to itself. It does only what RPCs need and costs next
// to nothing, so a measurement shows the costs of the selftest itself.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "selftest/service/selftest.h"
#include "selftest/service/serial_queue.h"

namespace ulnet::svc::selftest::test {

class TinyLnet final : public Lnet {
 public:
  static ProcessId self() { return {Nid::small({NetType::kTcp, 0}, 1), Pid::lustre()}; }

  Result<ProcessId> get_id(unsigned, bool) override { return self(); }
  Result<Distance> dist(const Nid&) override { return Distance{}; }
  Result<MeHandle> me_attach(Portal portal, const ProcessId&, MatchBits match, MatchBits ignore,
                             UnlinkMode, InsertPosition) override {
    entry_ = {};
    entry_.portal = portal.index;
    entry_.match = match.value;
    entry_.ignore = ignore.value;
    return MeHandle{1};
  }
  Result<MdHandle> md_attach(MeHandle, const MdSpec& spec, UnlinkMode) override {
    return keep(entry_, spec);
  }
  Result<MdHandle> md_bind(const MdSpec& spec, UnlinkMode) override {
    return keep({.portal = kNowhere}, spec);
  }
  Result<void> md_unlink(MdHandle handle) override {
    Md& md = of(handle);
    if (md.handle != handle || md.left == 0) return fail(-ENOENT);
    md.left = 0;
    post(md, EventType::kUnlink, 0, 0, md.match);
    return {};
  }
  Result<void> put(const PutRequest& request) override {
    Md& from = of(request.md);
    Md& to = find(request.portal.index, request.match_bits.value, kOpPut);
    std::memcpy(to.memory + to.used, from.memory, from.length);
    const std::size_t at = to.used;
    to.used += from.length;
    const bool full = to.max_size != 0 && to.used + to.max_size > to.length;
    to.left -= to.max_size == 0 || full ? to.left : 0;
    post(to, EventType::kPut, at, from.length, request.match_bits.value);
    --from.left;
    post(from, EventType::kSend, 0, from.length, request.match_bits.value);
    return {};
  }
  Result<void> get(const GetRequest& request) override {
    Md& to = of(request.md);
    Md& from = find(request.portal.index, request.match_bits.value, kOpGet);
    std::memcpy(to.memory, from.memory, to.length);
    from.left = 0;
    post(from, EventType::kGet, 0, to.length, request.match_bits.value);
    --to.left;
    post(to, EventType::kSend, 0, to.length, request.match_bits.value);
    --to.left;
    post(to, EventType::kReply, 0, to.length, request.match_bits.value);
    return {};
  }
  Result<void> set_lazy_portal(Portal) override { return {}; }
  Result<void> clear_lazy_portal(Portal) override { return {}; }
  Result<PingReply> ping(const PingRequest&) override { return fail(-ENOSYS); }
  void after(std::chrono::nanoseconds, std::function<void()>) override {}
  Counters counters() override { return {}; }
  bool progress(std::chrono::nanoseconds) override { return false; }

  /// Delivers `count` events, or all if there are fewer.
  void run(std::size_t count) {
    while (count-- > 0 && next_ < std::ssize(events_)) {
      const Event event = *(events_.begin() + next_++);
      if (next_ == kForgotten) {
        events_.erase(events_.begin(), events_.begin() + kForgotten);
        next_ = 0;
      }
      sink_->on_event(event);
    }
  }

 private:
  static constexpr std::uint32_t kNowhere = ~0U;
  /// past events are erased in portions of this size
  static constexpr std::ptrdiff_t kForgotten = 1000;
  static constexpr unsigned kSlotBits = 16;
  struct Md {
    MdHandle handle;
    std::uint32_t portal = kNowhere;
    std::uint64_t match = 0, ignore = 0;
    std::byte* memory = nullptr;
    std::size_t length = 0, used = 0, max_size = 0;
    std::uint32_t options = 0;
    std::int32_t left = 0;  ///< operations that may still begin; 0: the MD has ended
    void* user_ptr = nullptr;
  };

  Md& of(MdHandle handle) { return mds_[handle.cookie & ((1U << kSlotBits) - 1)]; }
  MdHandle keep(const Md& entry, const MdSpec& spec) {
    std::size_t slot = mds_.size();
    if (!free_.empty()) {
      slot = free_.back();
      free_.pop_back();
    } else {
      mds_.emplace_back();
    }
    Md& md = mds_[slot] = entry;
    md.memory = static_cast<std::byte*>(spec.fragments[0].iov_base);
    md.length = spec.fragments[0].iov_len;
    md.max_size = (spec.options & kMaxSize) != 0 ? spec.max_size : 0;
    md.options = spec.options;
    md.left = spec.threshold < 0 ? 1 : spec.threshold;
    md.user_ptr = spec.user_ptr;
    md.handle = {++made_ << kSlotBits | slot};
    sink_ = spec.sink;
    return md.handle;
  }
  Md& find(std::uint32_t portal, std::uint64_t bits, std::uint32_t operation) {
    const auto found = std::ranges::find_if(mds_, [&](const Md& md) {
      return md.left > 0 && md.portal == portal && ((md.match ^ bits) & ~md.ignore) == 0 &&
             (md.options & operation) != 0;
    });
    ULNET_ASSERT(found != mds_.end());
    return *found;
  }
  void post(Md& md, EventType type, std::size_t offset, std::size_t length, std::uint64_t bits) {
    Event event;
    event.type = type;
    event.unlinked = md.left == 0;
    event.target = event.initiator = self();
    event.source = self().nid;
    event.match_bits = {bits};
    event.offset = static_cast<std::uint32_t>(offset);
    event.mlength = static_cast<std::uint32_t>(length);
    event.md = md.handle;
    event.md_user_ptr = md.user_ptr;
    if (event.unlinked) free_.push_back(static_cast<std::size_t>(&md - mds_.data()));
    events_.push_back(event);
  }

  Md entry_;
  std::vector<Md> mds_;
  EventSink* sink_ = nullptr;  ///< the same for all MDs
  std::vector<std::size_t> free_;
  std::vector<Event> events_;
  std::ptrdiff_t next_ = 0;
  std::uint64_t made_ = 0;
};

class TinyHost final : public Host {
 public:
  Lnet& lnet() override { return tiny; }
  Instant now() override { return clock; }
  std::int64_t wall_ns() override { return 1; }
  EventSink& sink() override { return queue; }
  void wake_at(Instant) override {}
  MemoryBudget& memory() override { return budget; }
  void* zeroed(std::size_t bytes) override { return out_of_memory ? nullptr : Host::zeroed(bytes); }
  void trim() override { ++trims; }
  void log(LogLevel, const std::string&) override {}

  TinyLnet tiny;
  SerialQueue<NoLock> queue;
  Instant clock{};
  MemoryBudget budget;
  bool out_of_memory = false;
  unsigned trims = 0;
};

/// A node that has nothing but a pool.
struct TinyNode {
  TinyHost host;
  Context context{host, {}};
};
struct TinyPool : TinyNode, BulkPool {
  TinyPool() : BulkPool(context) {}
  std::uint64_t used() const { return host.budget.used(MemoryPart::kSelftest); }
  /// Lets a little more than `time` pass, since timers may be late.
  void pass(Duration time) {
    host.clock += time + std::chrono::milliseconds(100);
    context.alarms.wake();
  }
};

}  // namespace ulnet::svc::selftest::test
