// A table of objects with stable addresses, found by handles with a generation: a stale handle
// finds nothing, never another object. Memory is allocated in chunks and kept; freed slots are
// reused last in, first out. In the steady state nothing is allocated. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "lnet/base/assert.h"
#include "lnet/base/cache_line.h"

namespace ulnet {

/// Names a slot of a slab and the generation of the object in it. The zero value names nothing.
struct Handle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< odd while the object lives

  explicit operator bool() const { return generation != 0; }
  bool operator==(const Handle&) const = default;
};

template <class T, std::uint32_t kChunk = 64>
class Slab {
 public:
  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() {
    for (std::uint32_t slot = 0; slot < used_; ++slot)
      if (cell(slot).generation & 1) object(slot)->~T();
  }

  template <class... Args>
  std::pair<Handle, T*> make(Args&&... args) {
    const std::uint32_t slot = first_free();
    Cell& c = cell(slot);
    free_head_ = c.next_free;
    ++live_;
    T* made = construct(c.storage, std::forward<Args>(args)...);
    return {Handle{slot, ++c.generation}, made};
  }
  /// The handle that the next make() will return.
  Handle next() {
    const std::uint32_t slot = first_free();
    return {slot, cell(slot).generation + 1};
  }
  /// Consumes the handle of next(), as if its object had been made and erased.
  void skip() {
    Cell& c = cell(first_free());
    c.generation += 2;
    if (c.generation == 0) free_head_ = c.next_free;  // as in erase()
  }
  /// The object; null for a handle that is stale or was never issued.
  T* find(Handle h) {
    if (h.slot >= used_ || !(h.generation & 1) || cell(h.slot).generation != h.generation)
      return nullptr;
    return object(h.slot);
  }
  const T* find(Handle h) const { return const_cast<Slab*>(this)->find(h); }
  /// Destroys the object; the handle must be live.
  void erase(Handle h) {
    ULNET_ASSERT(h.slot < used_ && (h.generation & 1));
    Cell& c = cell(h.slot);
    ULNET_ASSERT(c.generation == h.generation);
    object(h.slot)->~T();
    --live_;
    if (++c.generation == 0) return;  // all generations are used: the slot is never used again
    c.next_free = free_head_;
    free_head_ = h.slot;
  }
  std::uint32_t size() const { return live_; }
  /// The number of slots, for callers that visit all of them with at(), a few at a time.
  std::uint32_t slots() const { return used_; }
  /// The object in a slot; null: the slot is free.
  T* at(std::uint32_t slot) { return cell(slot).generation & 1 ? object(slot) : nullptr; }

  /// Calls fn(Handle, T&) for every live object in slot order.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (std::uint32_t slot = 0; slot < used_; ++slot)
      if (cell(slot).generation & 1) fn(Handle{slot, cell(slot).generation}, *object(slot));
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    const_cast<Slab*>(this)->for_each([&](Handle handle, const T& object) { fn(handle, object); });
  }
  /// A walk in parts: calls fn(const T&) for live objects in slot order, beginning at `slot`, until
  /// it returns false. Returns the slot where the next part begins.
  template <class Fn>
  std::uint32_t walk(std::uint32_t slot, Fn&& fn) const {
    for (; slot < used_; ++slot)
      if (const Cell& c = const_cast<Slab*>(this)->cell(slot); c.generation & 1)
        if (!fn(std::as_const(*const_cast<Slab*>(this)->object(slot)))) return slot + 1;
    return slot;
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Cell {
    alignas(T) unsigned char storage[sizeof(T)];
    // add_free() sets `generation` and `next_free`. Nothing is written to a slot before its first
    // use, so that its page need not be resident.
    std::uint32_t generation;
    std::uint32_t next_free;
  };
  struct alignas(kCacheLinePair) Chunk {
    Cell cells[kChunk];
  };

  /// Makes a T in `storage`. Without arguments it uses only T's member initialisers: T() would
  /// first set all of T to zero.
  template <class... Args>
  static T* construct(void* storage, Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
      return new (storage) T;
    else
      return new (storage) T(std::forward<Args>(args)...);
  }
  Cell& cell(std::uint32_t slot) { return chunks_[slot / kChunk]->cells[slot % kChunk]; }
  T* object(std::uint32_t slot) { return std::launder(reinterpret_cast<T*>(cell(slot).storage)); }
  std::uint32_t first_free() {
    if (free_head_ == kNone) add_free();
    return free_head_;
  }
  /// Frees a slot that was never used. Not inlined: it is rare.
  [[gnu::noinline]] void add_free() {
    if (used_ == chunks_.size() * kChunk)
      chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    Cell& c = cell(used_);
    c.generation = 0;
    c.next_free = kNone;
    free_head_ = used_++;
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t used_ = 0;
  std::uint32_t live_ = 0;
  std::uint32_t free_head_ = kNone;
};

}  // namespace ulnet
