// Objects in memory from a given memory resource, for example that of a CPU partition. With
// std::pmr::new_delete_resource() it is the ordinary heap.
#pragma once

#include <memory>
#include <memory_resource>
#include <utility>

namespace ulnet {

/// Destroys an object and returns its memory to the resource, which must still exist.
struct GiveBack {
  std::pmr::memory_resource* memory = nullptr;

  template <class T>
  void operator()(T* object) const {
    std::pmr::polymorphic_allocator<T>(memory).delete_object(object);
  }
};
template <class T>
using Placed = std::unique_ptr<T, GiveBack>;

/// Makes an object in `memory`. Throws std::bad_alloc if there is no memory.
template <class T, class... Args>
Placed<T> make_placed(std::pmr::memory_resource& memory, Args&&... args) {
  std::pmr::polymorphic_allocator<T> allocator(&memory);
  return {allocator.template new_object<T>(std::forward<Args>(args)...), {&memory}};
}
/// As make_placed(), but default-initialised: the bytes of arrays and integers are undefined.
template <class T>
Placed<T> make_placed_for_overwrite(std::pmr::memory_resource& memory) {
  return {::new (std::pmr::polymorphic_allocator<T>(&memory).allocate(1)) T, {&memory}};
}

}  // namespace ulnet
