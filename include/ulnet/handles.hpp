// Memory descriptors and match entries that clean up after themselves. They take spans and
// handlers where ulnet/lnet.hpp takes sinks.
//
//   auto source = ulnet::MemoryDescriptor::bind(lnet, bytes, {}, on_event);
//   auto target = ulnet::MemoryDescriptor::attach(lnet, {.portal = {4}, .match = {7}}, buffer,
//                                                 {.options = ulnet::kOpPut}, on_put);
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

#include "ulnet/cxx20.hpp"
#include "ulnet/lifetime.hpp"
#include "ulnet/lnet.hpp"

namespace ulnet {

using EventHandler = std::function<void(const Event&)>;

/// The match entry of a passive descriptor (spec/core-semantics.md 3): the messages that it
/// accepts.
struct MatchEntry {
  Portal portal;
  ProcessId match_id;  ///< initiators to match, by primary NID; the default matches any
  MatchBits match;
  MatchBits ignore;                         ///< bits of `match` that are not compared
  UnlinkMode unlink = UnlinkMode::kUnlink;  ///< whether the ME is removed with its MD
  InsertPosition position = InsertPosition::kAfter;
};

/// The fields of MdSpec other than memory and sink, and whether the MD unlinks itself.
struct DescriptorOptions {
  std::uint32_t options = 0;  ///< MdOption bits
  std::int32_t threshold = kThresholdInfinite;
  std::uint32_t max_size = 0;               ///< bytes, with kMaxSize
  UnlinkMode unlink = UnlinkMode::kRetain;  ///< whether the MD unlinks itself when it is exhausted
  void* user_ptr = nullptr;
};

/// An MD and its handler. The handler and what it captured are kept until the event with
/// `unlinked` has been handled; the MD's memory must stay valid as long.
///
/// Destroying a descriptor unlinks the MD and waits until that event has been handled (in inline
/// mode it moves bytes meanwhile). So memory that was declared before the descriptor is safe.
/// Inside any handler the destructor cannot wait: it unlinks the MD and returns, and the last event
/// follows when that handler has returned.
///
/// The node may be destroyed before the descriptor. Then all its MDs end, no handler is called any
/// more, not even with a last event, and the descriptor is empty.
///
/// A descriptor may be used by one thread at a time.
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

  /// Makes an active descriptor: the source of PUTs, the sink of GETs. Errors: as Lnet::md_bind().
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
  /// Makes a passive descriptor behind a new match entry; `options` must have kOpPut or kOpGet.
  /// Errors: as Lnet::me_attach() and Lnet::md_attach().
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

  /// The handle for put() and get(). It is empty (put() and get() answer -ENOENT) after
  /// release(), when the event with `unlinked` has come, and when the node is gone.
  MdHandle handle() const { return state_ ? state_->handle() : MdHandle{}; }
  explicit operator bool() const { return static_cast<bool>(handle()); }
  /// Gives up ownership: the MD stays attached or bound, and its handler is kept until its last
  /// event.
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
  class State final : public EventSink, private Lifetime::Dependent {
   public:
    State(Lnet& lnet, EventHandler handler)
        : lnet_(lnet),
          polled_(lnet.polled()),
          lifetime_(lnet.lifetime()),
          handler_(std::move(handler)) {}

    void on_event(const Event& event) override {
      const std::shared_ptr<State> keep = event.unlinked ? let_go() : nullptr;
      if (handler_) handler_(event);
      if (!event.unlinked) return;
      const std::lock_guard lock(mutex_);
      ended_ = true;
      wakeup_.notify_all();
    }
    void started(MdHandle md) {
      const std::lock_guard lock(mutex_);
      if (self_ != nullptr) md_ = md;
    }
    MdHandle handle() const {
      const std::lock_guard lock(mutex_);
      return md_;
    }
    /// Makes the state own itself until the MD's last event or the end of the Lnet. Called before
    /// the MD is made, because the MD may end at once.
    void hold(std::shared_ptr<State> self) {
      self_ = std::move(self);
      if (lifetime_) lifetime_->add_early(*this);
    }
    std::shared_ptr<State> let_go() {
      if (lifetime_) lifetime_->remove(*this);
      const std::lock_guard lock(mutex_);
      md_ = {};
      return std::move(self_);
    }
    void unlink_and_wait() {
      if (ended()) return;
      const bool wait = !lnet_.in_handler();
      if (const MdHandle md = handle()) (void)lnet_.md_unlink(md);
      if (!wait) return;
      if (!polled_) return wait_for_end();
      while (!ended()) lnet_.progress(std::chrono::milliseconds(1));
    }

   private:
    std::shared_ptr<void> lnet_gone() override {
      const std::lock_guard lock(mutex_);
      md_ = {};
      ended_ = true;
      wakeup_.notify_all();
      return std::move(self_);
    }
    bool ended() const {
      const std::lock_guard lock(mutex_);
      return ended_;
    }
    void wait_for_end() {
      std::unique_lock lock(mutex_);
      wakeup_.wait(lock, [&] { return ended_; });
    }

    Lnet& lnet_;  // valid until ended_ is set
    const bool polled_;
    const std::shared_ptr<Lifetime> lifetime_;
    const EventHandler handler_;
    mutable std::mutex mutex_;  // guards the rest
    std::condition_variable wakeup_;
    MdHandle md_;
    bool ended_ = false;  // the MD or the Lnet has ended: no handler runs any more
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
      (void)state->let_go();
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
