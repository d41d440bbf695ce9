// The parts of a verified load: the MDs that it attaches at each node, and slots, each of which
// runs one operation after the other. Only loads.cc, loads_posted.cc and loads_slot.cc include
// this.
#pragma once

#include <memory>
#include <vector>

#include "sim/load/loads.h"
#include "sim/world/world.h"

namespace ulnet::sim {

/// Set in the match bits of an operation with an MD of its own at the target.
inline constexpr std::uint64_t kOnceBit = 1ULL << 63;
/// The largest payload of a message.
inline constexpr std::uint32_t kMaxBytes = 1 << 20;

/// The contents of the message with this key: up to kMaxBytes of random bytes, at an offset that
/// follows from the key.
const std::byte* pattern(std::uint64_t key);
/// Overwrites the first and last 64 bytes, so that a check cannot find an earlier message there.
void blot(std::byte* memory, std::uint32_t bytes);

/// A ring: one MD that accepts PUTs one after the other and unlinks itself when it is full; then
/// the load attaches it again.
struct VerifiedLoad::Ring final : EventSink, private sim::Task {
  Ring(VerifiedLoad& owner, SimNode& at, std::uint32_t index, bool is_lazy)
      : load(owner),
        node(at),
        portal{index},
        lazy(is_lazy),
        bytes(2 * owner.setup_.max_bytes + 1) {}

  void post();
  /// Called when the incarnation of the ring's node has ended.
  void forget() { md = last = {}; }
  void take_back() {
    if (md) (void)node.md_unlink(md);
  }
  void on_event(const Event& event) override;
  void run() override {
    if (!md) post();
  }

  VerifiedLoad& load;
  SimNode& node;
  const Portal portal;
  const bool lazy;
  const std::uint32_t bytes;
  Memory memory;
  MdHandle md;    ///< the MD that is attached now
  MdHandle last;  ///< the MD that unlinked itself last
};

/// A permanent MD, for GETs.
struct VerifiedLoad::Source final : EventSink {
  Source(VerifiedLoad& owner, SimNode& at, std::uint32_t index)
      : load(owner), node(at), portal{index} {}

  /// The key of the pattern that it contains, for GETs from this node.
  std::uint64_t key() const { return ~std::uint64_t{node.number()}; }
  void post();
  void forget() { md = {}; }
  void take_back() {
    if (md) (void)node.md_unlink(md);
  }
  void on_event(const Event& event) override {
    if (event.type == EventType::kGet && event.status == 0 && event.mlength != event.rlength)
      load.wrong(node, "a GET was cut");
    if (event.unlinked) md = {};
  }

  VerifiedLoad& load;
  SimNode& node;
  const Portal portal;
  Memory memory;
  MdHandle md;
};

/// Runs one operation after the other.
struct VerifiedLoad::Slot final : EventSink, private sim::Task {
  /// The operation's own MD at its target.
  struct Far final : EventSink {
    explicit Far(Slot& owner) : slot(owner) {}
    void on_event(const Event& event) override { slot.far_event(event); }
    Slot& slot;
    MdHandle md;
    Memory memory;
  };

  Slot(VerifiedLoad& owner, SimNode& at) : load(owner), node(at) {}

  bool idle() const { return key == 0; }
  void wake(Duration delay) {
    if (!scheduled()) load.world_->queue().in(delay, *this);
  }
  /// Called when an incarnation of `whose` has ended.
  void forget(const SimNode& whose);

  void run() override;
  void on_event(const Event& event) override;
  void far_event(const Event& event);
  void next();
  bool post_far();
  bool start();
  void check(const Event& event);
  void end();
  void give_back();
  bool is_get() const { return op == LoadOp::kGet || op == LoadOp::kGetOnce; }
  bool is_once() const { return op == LoadOp::kPutOnce || op == LoadOp::kGetOnce; }
  /// The data that a GET returns from the target, or that a PUT sends.
  const std::byte* contents() const {
    return op == LoadOp::kGet ? pattern(~std::uint64_t{target->number()}) + offset : pattern(key);
  }

  VerifiedLoad& load;
  SimNode& node;
  Far far{*this};
  std::uint64_t key = 0;  ///< 0: no operation
  LoadOp op = LoadOp::kPut;
  SimNode* target = nullptr;
  std::uint32_t length = 0, offset = 0;
  Memory memory;
  MdHandle md;
  bool answered = false;
};

/// The load's objects at one node.
struct VerifiedLoad::Host final : private sim::Task {
  Host(VerifiedLoad& owner, SimNode& at) : load(owner), node(at) {
    const std::uint32_t first = load.setup_.first_portal;
    for (const bool lazy : {false, false, true})
      rings.push_back(std::make_unique<Ring>(load, node, first + (lazy ? 1 : 0), lazy));
    source = std::make_unique<Source>(load, node, first + 2);
    for (std::uint32_t i = 0; i < load.setup_.at_once; ++i)
      slots.push_back(std::make_unique<Slot>(load, node));
  }

  /// Schedules run(). It does not run now, since a node may report a change from within a step.
  void wake() { load.world_->queue().in({}, *this); }
  void run() override {
    if (!node.up()) return;
    if (load.withdrawn_) return take_back();
    (void)node.set_lazy_portal(lazy_portal());
    for (const auto& ring : rings)
      if (!ring->md) ring->post();
    if (!source->md) source->post();
    for (const auto& slot : slots)
      if (slot->idle()) slot->wake(load.draw(load.setup_.think));
  }
  void forget() {
    for (const auto& ring : rings) ring->forget();
    source->forget();
  }
  void take_back() {
    for (const auto& ring : rings) ring->take_back();
    source->take_back();
    // An operation may have ended before its message was read: a paused node reads the message when
    // it resumes. Without this call that message would wait for ever.
    if (node.up()) (void)node.clear_lazy_portal(lazy_portal());
  }
  Portal lazy_portal() const { return {load.setup_.first_portal + 1}; }

  VerifiedLoad& load;
  SimNode& node;
  std::vector<std::unique_ptr<Ring>> rings;
  std::unique_ptr<Source> source;
  std::vector<std::unique_ptr<Slot>> slots;
};

}  // namespace ulnet::sim
