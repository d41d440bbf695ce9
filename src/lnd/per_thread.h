// An object of each thread that is there whenever the thread runs: also when objects with static
// storage are destroyed, which comes after the thread's own.
#pragma once

#include <utility>

namespace ulnet::lnd {

/// The calling thread's T, as new when it is asked for first. It is deleted when the thread ends;
/// who asks later still gets another, which is not.
template <class T>
T& per_thread() {
  static thread_local T* mine = nullptr;  // without a destructor: there to the end
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
