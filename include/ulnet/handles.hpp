// Memory descriptors and match entries that clean up after themselves, with spans and handlers
// instead of sinks.
//
//   auto source = ulnet::MemoryDescriptor::bind(lnet, bytes, {}, [](const ulnet::Event& e) { ...
//   }); auto target = ulnet::MemoryDescriptor::attach(lnet, {.portal = {4}, .match = {7}}, buffer,
//   {.options = ulnet::kOpPut}, on_put);
//
// Source: spec/core-semantics.md 3, 4.
#pragma once

#include <sys/uio.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "ulnet/lnet.hpp"

namespace ulnet {

using EventHandler = std::function<void(const Event&)>;

/// Where a passive descriptor answers: what a match entry says (spec/core-semantics.md 3).
struct MatchEntry {
  Portal portal;
  ProcessId match_id;  ///< any by default
  MatchBits match;
  MatchBits ignore;
  UnlinkMode unlink = UnlinkMode::kUnlink;
  InsertPosition position = InsertPosition::kAfter;
};

struct DescriptorOptions {
  std::uint32_t options = 0;  ///< MdOption bits
  std::int32_t threshold = kThresholdInfinite;
  std::uint32_t max_size = 0;  ///< with kMaxSize
  UnlinkMode unlink = UnlinkMode::kRetain;
  void* user_ptr = nullptr;
};

/// An MD and its handler. The handler may be called until the event with `unlinked`; the memory
/// must live as long. Destroying a descriptor unlinks it and waits for that event (in inline mode
/// it moves bytes meanwhile), so that memory declared before it is safe. Inside a handler nothing
/// can be waited for: there, release() it instead and let its last event free what it used.
class MemoryDescriptor {
 public:
  MemoryDescriptor() = default;
  MemoryDescriptor(MemoryDescriptor&& other) noexcept = default;
  MemoryDescriptor& operator=(MemoryDescriptor&& other) noexcept {
    if (this == &other) return *this;
    reset();
    state_ = std::move(other.state_);
    return *this;
  }
  ~MemoryDescriptor() { reset(); }

  /// An active descriptor: source of PUTs, sink of GETs. Errors: spec/core-semantics.md 4.4.
  static Result<MemoryDescriptor> bind(Lnet& lnet, std::span<const iovec> fragments,
                                       const DescriptorOptions& options = {},
                                       EventHandler handler = {}) {
    return make(lnet, fragments, options, std::move(handler),
                [&](const MdSpec& spec) { return lnet.md_bind(spec, options.unlink); });
  }
  static Result<MemoryDescriptor> bind(Lnet& lnet, std::span<std::byte> bytes,
                                       const DescriptorOptions& options = {},
                                       EventHandler handler = {}) {
    const iovec one{bytes.data(), bytes.size()};
    return bind(lnet, std::span(&one, 1), options, std::move(handler));
  }
  /// A passive descriptor behind a match entry of its own; its options need kOpPut or kOpGet.
  /// Errors: 3, 4.3.
  static Result<MemoryDescriptor> attach(Lnet& lnet, const MatchEntry& entry,
                                         std::span<const iovec> fragments,
                                         const DescriptorOptions& options,
                                         EventHandler handler = {}) {
    const auto me = lnet.me_attach(entry.portal, entry.match_id, entry.match, entry.ignore,
                                   entry.unlink, entry.position);
    if (!me) return tl::unexpected<Error>(me.error());
    return make(lnet, fragments, options, std::move(handler),
                [&](const MdSpec& spec) { return lnet.md_attach(*me, spec, options.unlink); });
  }
  static Result<MemoryDescriptor> attach(Lnet& lnet, const MatchEntry& entry,
                                         std::span<std::byte> bytes,
                                         const DescriptorOptions& options,
                                         EventHandler handler = {}) {
    const iovec one{bytes.data(), bytes.size()};
    return attach(lnet, entry, std::span(&one, 1), options, std::move(handler));
  }

  /// The handle for put() and get(); none after release() or when the event with `unlinked` has
  /// come.
  MdHandle handle() const { return state_ ? state_->handle() : MdHandle{}; }
  explicit operator bool() const { return static_cast<bool>(handle()); }
  /// Gives up ownership: the MD stays as it is and its handler with it until its last event.
  MdHandle release() {
    const MdHandle md = handle();
    state_.reset();
    return md;
  }
  /// Unlinks and waits, as the destructor does.
  void reset() {
    if (!state_) return;
    state_->unlink_and_wait();
    state_.reset();
  }

 private:
  class State final : public EventSink {
   public:
    State(Lnet& lnet, EventHandler handler) : lnet_(lnet), handler_(std::move(handler)) {}

    void on_event(const Event& event) override {
      const std::shared_ptr<State> keep = event.unlinked ? finish() : nullptr;
      if (handler_) handler_(event);
      if (!event.unlinked) return;
      const std::lock_guard lock(mutex_);
      ended_ = true;
      wakeup_.notify_all();
    }
    void started(MdHandle md) {
      const std::lock_guard lock(mutex_);
      if (!unlinked_) md_ = md;
    }
    MdHandle handle() const {
      const std::lock_guard lock(mutex_);
      return md_;
    }
    /// The state keeps itself until the last event. Made with the MD, so that an MD that ends at
    /// once finds it.
    void hold(std::shared_ptr<State> self) { self_ = std::move(self); }
    void unlink_and_wait() {
      if (const MdHandle md = handle()) (void)lnet_.md_unlink(md);
      while (!wait_a_while()) lnet_.progress(std::chrono::milliseconds(1));
    }

   private:
    std::shared_ptr<State> finish() {
      const std::lock_guard lock(mutex_);
      unlinked_ = true;
      md_ = {};
      return std::move(self_);
    }
    bool wait_a_while() {
      std::unique_lock lock(mutex_);
      if (lnet_.polled()) return ended_;
      wakeup_.wait(lock, [&] { return ended_; });
      return true;
    }

    Lnet& lnet_;
    const EventHandler handler_;
    mutable std::mutex mutex_;  // guards the rest
    std::condition_variable wakeup_;
    MdHandle md_;
    bool unlinked_ = false;
    bool ended_ = false;
    std::shared_ptr<State> self_;
  };

  template <class Make>
  static Result<MemoryDescriptor> make(Lnet& lnet, std::span<const iovec> fragments,
                                       const DescriptorOptions& options, EventHandler handler,
                                       Make&& make_md) {
    auto state = std::make_shared<State>(lnet, std::move(handler));
    state->hold(state);
    MdSpec spec;
    spec.fragments = fragments;
    spec.threshold = options.threshold;
    spec.max_size = options.max_size;
    spec.options = options.options;
    spec.user_ptr = options.user_ptr;
    spec.sink = state.get();
    const Result<MdHandle> md = make_md(spec);
    if (!md) {
      state->hold(nullptr);
      return tl::unexpected<Error>(md.error());
    }
    state->started(*md);
    MemoryDescriptor made;
    made.state_ = std::move(state);
    return made;
  }

  std::shared_ptr<State> state_;
};

}  // namespace ulnet
