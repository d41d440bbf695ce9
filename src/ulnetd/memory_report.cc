#include "ulnetd/memory_report.h"

namespace ulnet::tools {

std::string MemoryReport::look(Time now, bool is_short) {
  if (!reported_ && !is_short) return {};
  if (!reported_) {
    reported_ = true;
    since_ = now;
    return "memory is short: the reserve is in use; new connections of peers are refused and no "
           "payload is held until there is memory again";
  }
  if (now - since_ < kGap) return {};
  since_ = now;
  if (!restore_()) return {};
  reported_ = false;
  return "there is memory again: new connections of peers are taken";
}

}  // namespace ulnet::tools
