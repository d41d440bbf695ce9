#include "lnet/os/cpu_binding.h"

#include <sched.h>

#include <cstring>
#include <memory>
#include <string>

namespace ulnet::node {
namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

}  // namespace

Result<void> bind_thread(const cpt::Table& table, std::int32_t cpt) {
  if (table.no_affinity()) return {};
  const auto cpus = table.cpus(cpt);
  const int last = cpus.empty() ? 0 : static_cast<int>(cpus.back());
  const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(last + 1));
  const std::size_t size = CPU_ALLOC_SIZE(last + 1);
  CPU_ZERO_S(size, set.get());
  for (const std::uint32_t cpu : cpus) CPU_SET_S(cpu, size, set.get());
  if (sched_setaffinity(0, size, set.get()) == 0) return {};
  const int error = errno;
  return fail(-error, "a thread cannot be bound to partition " + std::to_string(cpt) + ": " +
                          std::strerror(error));
}

std::uint32_t current_cpu() {
  const int cpu = sched_getcpu();
  return cpu < 0 ? 0 : static_cast<std::uint32_t>(cpu);
}

}  // namespace ulnet::node
