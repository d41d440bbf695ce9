#include "lnet/os/memory_node.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace ulnet::node {

std::optional<std::uint32_t> node_of_memory(const void* byte) {
  // A move_pages() that moves nothing returns where pages are. get_mempolicy() would allocate the
  // page.
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(byte) & ~(page_size - 1);
  void* pages[] = {reinterpret_cast<void*>(page)};  // NOLINT(performance-no-int-to-ptr)
  int node = -1;
  const long done = syscall(SYS_move_pages, 0, 1UL, pages, nullptr, &node, 0);
  if (done != 0 || node < 0) return std::nullopt;
  return static_cast<std::uint32_t>(node);
}

}  // namespace ulnet::node
