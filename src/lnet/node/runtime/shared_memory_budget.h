// The memory budget of a node, which all its threads use.
#pragma once

#include <mutex>

#include "lnet/base/memory_budget.h"

namespace ulnet::node {

class SharedMemoryBudget final : public MemoryBudget {
 public:
  using MemoryBudget::MemoryBudget;

 private:
  void enter() const override { lock_.lock(); }
  void leave() const override { lock_.unlock(); }

  mutable std::mutex lock_;
};

}  // namespace ulnet::node
