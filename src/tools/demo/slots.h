// Keeps kSlots operations in flight, each on a buffer and an MD of its own: what ends one begins
// the next, on the thread that delivered its events. Public interface only (ulnet/lnet.hpp).
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

#include "tools/demo/target.h"
#include "ulnet/handles.hpp"

namespace ulnet::demo {

class Slots {
 public:
  /// Begins operation number `sequence` on a slot; false: there are no more.
  using Begin = std::function<Result<bool>(std::uint32_t slot, std::uint64_t sequence)>;
  /// Looks at what an operation left in its slot, before the next one begins there.
  using End = std::function<void(std::uint32_t slot, std::uint64_t sequence)>;

  /// Buffers of `size` bytes.
  Slots(Lnet& lnet, std::uint32_t size);
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  Result<void> bind();
  /// Runs operations until `begin` ends them; every operation is a PUT with ACK or a GET, so that
  /// two events end it. Waits. After an error operations may still be under way: what the functions
  /// capture must live as long as this object.
  Result<void> run(Begin begin, End end = {});
  /// How many operations of the last run ended well.
  std::uint64_t ended();

  std::span<std::byte> memory(std::uint32_t slot) { return slots_[slot].memory; }
  MdHandle md(std::uint32_t slot) const { return slots_[slot].md.handle(); }

 private:
  struct Slot {
    std::uint32_t index = 0;
    Buffer memory;
    std::uint64_t sequence = 0;
    int events = 0;       ///< of the operation under way
    MemoryDescriptor md;  ///< last: it is unlinked before the memory goes
  };

  void on_event(Slot& slot, const Event& event);
  void begin_next(Slot& slot);
  bool given_up();
  void idle(std::optional<Error> error);

  Lnet& lnet_;
  Begin begin_;
  End end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t ended_ = 0;
  std::uint32_t busy_ = 0;
  std::optional<Error> error_;
  std::array<Slot, kSlots> slots_;  // last: their handlers use what is above
};

}  // namespace ulnet::demo
