#include "sim/kernel/trace.h"

namespace ulnet::sim {

void Trace::store(const TraceRecord& record) {
  if (options_.keep == TraceOptions::Keep::kAll || kept_.size() < options_.last) {
    kept_.push_back(record);
    return;
  }
  kept_[oldest_] = record;
  oldest_ = (oldest_ + 1) % kept_.size();
}

void Trace::for_each(const std::function<void(const TraceRecord&)>& fn) const {
  for (std::size_t i = 0; i < kept_.size(); ++i) fn(kept_[(oldest_ + i) % kept_.size()]);
}

}  // namespace ulnet::sim
