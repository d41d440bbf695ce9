// What a checker writes down of each node: one book per node and life, made when the checker first
// looks at it, and notes about messages by their tickets.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/slab.h"
#include "sim/node.h"

namespace ulnet::sim {

template <class Book>
class Books {
 public:
  /// Empty in a life that it has not seen. Stays where it is until the next life.
  Book& of(const SimNode& node) {
    if (node.number() >= pages_.size()) pages_.resize(node.number() + 1);
    Page& page = pages_[node.number()];
    if (page.book == nullptr || page.life != node.life()) {
      page.book = std::make_unique<Book>();
      page.life = node.life();
    }
    return *page.book;
  }

 private:
  struct Page {
    std::uint32_t life = 0;
    std::unique_ptr<Book> book;
  };
  std::vector<Page> pages_;
};

/// Notes by the handle of what they are about: a slot each, as in the slab that gave it out.
template <class Note>
class Notes {
 public:
  Note& add(Handle handle, Note note) {
    if (handle.slot >= cells_.size()) cells_.resize(handle.slot + 1);
    Cell& cell = cells_[handle.slot];
    if (cell.generation == 0) ++size_;
    cell.generation = handle.generation;
    cell.note = std::move(note);
    return cell.note;
  }
  Note* find(Handle handle) {
    if (handle.slot >= cells_.size() || handle.generation == 0) return nullptr;
    Cell& cell = cells_[handle.slot];
    return cell.generation == handle.generation ? &cell.note : nullptr;
  }
  void erase(Handle handle) {
    if (find(handle) == nullptr) return;
    cells_[handle.slot] = {};
    --size_;
  }
  std::size_t size() const { return size_; }
  /// In the order of slots.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (std::uint32_t slot = 0; slot < cells_.size(); ++slot)
      if (cells_[slot].generation != 0)
        fn(Handle{slot, cells_[slot].generation}, cells_[slot].note);
  }

 private:
  struct Cell {
    std::uint32_t generation = 0;
    Note note{};
  };
  std::vector<Cell> cells_;
  std::size_t size_ = 0;
};

/// The call that a step answered, if that is what it did and the call went well; else null.
template <class Call>
const Call* answered(const core::Input& input) {
  const auto* api = std::get_if<core::Api>(&input);
  return api == nullptr || api->call->status != 0 ? nullptr : std::get_if<Call>(&api->call->body);
}

}  // namespace ulnet::sim
