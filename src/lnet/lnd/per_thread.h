// One object per thread. The thread can use it as long as it runs, even after its thread_local
// objects are gone, while the process destroys its objects of static storage.
#pragma once

#include <utility>

namespace ulnet::lnd {

/// The calling thread's T, made at its first call. The T is deleted when the thread's
/// thread_local objects are destroyed. A call after that makes another T, which is never deleted.
template <class T>
T& per_thread() {
  static thread_local T* mine = nullptr;  // has no destructor, so it is valid to the end
  if (mine == nullptr) {
    struct Owner {
      T*& owned;
      ~Owner() { delete std::exchange(owned, nullptr); }
    };
    mine = new T;
    static thread_local const Owner owner{mine};
  }
  return *mine;
}

}  // namespace ulnet::lnd
