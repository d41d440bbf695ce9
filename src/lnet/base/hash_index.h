// A hash table from a key to a pointer; the object lives elsewhere. Open addressing; it doubles
// when it is three quarters full and allocates only then. It has no iteration, so that no order can
// depend on the hash.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "lnet/base/assert.h"

namespace ulnet {

/// Mixes a hash so that each of its bits changes the upper bits of the result. Neighbouring NIDs
/// differ in few bits, and the table uses the upper ones.
constexpr std::uint64_t spread(std::uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xbf58476d1ce4e5b9ULL;
  hash ^= hash >> 29;
  return hash * 0x9e3779b97f4a7c15ULL;
}

/// `kKeyIn`: the member of the object that is its key, so that the table need not store the key.
/// While the object is in the table, its key must not change, and the object must not be destroyed.
template <class Key, class Object, class Hash, auto kKeyIn = nullptr>
class HashIndex {
 public:
  /// The object with this key; null: the key is not in the table.
  Object* find(const Key& key) const {
    if (cells_.empty()) return nullptr;
    for (std::size_t i = home(key);; i = next(i)) {
      if (cells_[i].object == nullptr) return nullptr;
      if (key_of(cells_[i]) == key) return cells_[i].object;
    }
  }
  /// Adds the object under the key, which must be new.
  void insert(const Key& key, Object* object) {
    ULNET_ASSERT(object != nullptr && find(key) == nullptr);
    if ((used_ + 1) * 4 > cells_.size() * 3) grow();
    place(key, object);
    ++used_;
  }
  /// Does nothing if the key is not in the table. Moves the following cells of the same run into
  /// the free cell, so that lookups need no tombstones.
  void erase(const Key& key) {
    if (cells_.empty()) return;
    std::size_t hole = home(key);
    while (cells_[hole].object != nullptr && !(key_of(cells_[hole]) == key)) hole = next(hole);
    if (cells_[hole].object == nullptr) return;
    for (std::size_t i = next(hole); cells_[i].object != nullptr; i = next(i)) {
      const std::size_t distance_home = (i - home(key_of(cells_[i]))) & mask();
      const std::size_t distance_hole = (i - hole) & mask();
      if (distance_home < distance_hole) continue;
      cells_[hole] = cells_[i];
      hole = i;
    }
    cells_[hole] = Cell{};
    --used_;
  }
  std::size_t size() const { return used_; }

 private:
  struct WithKey {
    WithKey() = default;
    WithKey(const Key& of, Object* at) : key(of), object(at) {}
    Key key{};
    Object* object = nullptr;
  };
  struct WithoutKey {
    WithoutKey() = default;
    WithoutKey(const Key&, Object* at) : object(at) {}
    Object* object = nullptr;
  };
  static constexpr bool kKeepsKey = std::is_null_pointer_v<decltype(kKeyIn)>;
  using Cell = std::conditional_t<kKeepsKey, WithKey, WithoutKey>;

  static const Key& key_of(const Cell& cell) {
    if constexpr (kKeepsKey)
      return cell.key;
    else
      return cell.object->*kKeyIn;
  }

  std::size_t mask() const { return cells_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home(const Key& key) const {
    return static_cast<std::size_t>(spread(Hash{}(key)) >> shift_);
  }
  void place(const Key& key, Object* object) {
    std::size_t i = home(key);
    while (cells_[i].object != nullptr) i = next(i);
    cells_[i] = Cell(key, object);
  }
  void grow() {
    std::vector<Cell> old = std::move(cells_);
    cells_.assign(old.empty() ? 8 : old.size() * 2, Cell{});
    shift_ = 64 - std::countr_zero(cells_.size());
    for (const Cell& cell : old)
      if (cell.object != nullptr) place(key_of(cell), cell.object);
  }

  std::vector<Cell> cells_;
  std::size_t used_ = 0;
  int shift_ = 0;
};

}  // namespace ulnet
