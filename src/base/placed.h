// Objects in memory of somebody's choice: a CPU partition's, for example. With
// std::pmr::new_delete_resource() they are where others are.
#pragma once

#include <memory>
#include <memory_resource>
#include <utility>

namespace ulnet {

/// Ends an object and gives its memory back where it came from, which must still be there.
struct GiveBack {
  std::pmr::memory_resource* memory = nullptr;

  template <class T>
  void operator()(T* object) const {
    std::pmr::polymorphic_allocator<T>(memory).delete_object(object);
  }
};
template <class T>
using Placed = std::unique_ptr<T, GiveBack>;

/// std::bad_alloc: there is no memory.
template <class T, class... Args>
Placed<T> make_placed(std::pmr::memory_resource& memory, Args&&... args) {
  std::pmr::polymorphic_allocator<T> allocator(&memory);
  return {allocator.template new_object<T>(std::forward<Args>(args)...), {&memory}};
}
/// The same, with bytes that are whatever they were.
template <class T>
Placed<T> make_placed_for_overwrite(std::pmr::memory_resource& memory) {
  return {::new (std::pmr::polymorphic_allocator<T>(&memory).allocate(1)) T, {&memory}};
}

}  // namespace ulnet
