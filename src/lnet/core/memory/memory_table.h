// The table of a shard's MDs: checks the users' specifications, assigns the MDs' handles and keeps
// copies of their fragment lists. Source: spec/core-semantics.md 4.2 to 4.4, 4.6.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/limits.h"
#include "lnet/core/memory/md.h"

namespace ulnet::core {

/// The result of a check: 0, or a negative errno with its reason.
struct Check {
  int status = 0;
  const char* reason = "";
};

/// Whether LNetMDAttach (`passive`) or LNetMDBind accepts `spec` (4.2, 4.3, 4.4).
Check check_md(const MdSpec& spec, bool passive);

class MemoryTable {
 public:
  explicit MemoryTable(std::uint32_t shard) : shard_(shard) {}

  /// Makes an MD from a spec that check_md() accepted. Null: too many MDs (-ENOMEM).
  Md* make(const MdSpec& spec, UnlinkMode unlink, bool passive);
  /// Finds the MD of a handle, even if it is retired or aborted. Null: the MD is gone, is of
  /// another shard, or never existed.
  Md* find(MdHandle handle);
  const Md* find(MdHandle handle) const { return const_cast<MemoryTable*>(this)->find(handle); }
  Md* find(Handle self) { return mds_.find(self); }
  /// Removes an MD, which must be gone and without messages.
  void erase(Md& md);
  std::uint32_t size() const { return mds_.size(); }
  template <class Fn>
  void for_each(Fn&& fn) {
    mds_.for_each([&](Handle, Md& md) { fn(md); });
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    mds_.for_each([&](Handle, const Md& md) { fn(md); });
  }

 private:
  /// The sizes of the fragment lists that are too long for Md::inline_fragments. Freed lists are
  /// reused.
  static constexpr std::array<std::uint32_t, 3> kClasses = {8, 32, limits::kMaxFragments};
  std::unique_ptr<iovec[]> take_fragments(std::uint32_t count);
  void give_fragments(std::unique_ptr<iovec[]> fragments, std::uint32_t count);

  std::uint32_t shard_;
  std::array<std::vector<std::unique_ptr<iovec[]>>, kClasses.size()> spare_;
  Slab<Md> mds_;
};

}  // namespace ulnet::core
