#include "admin/http/wake.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace ulnet::http {

WakeFlag::WakeFlag() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

WakeFlag::~WakeFlag() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WakeFlag::raise() {
  if (raised_) return;
  raised_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

void WakeFlag::lower() {
  if (!raised_) return;
  raised_ = false;
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(descriptor_, &count, sizeof count);
}

}  // namespace ulnet::http
