#include "sim/kernel/fault_kind.h"

namespace ulnet::sim {

namespace {

constexpr std::array kFaultWords = {
    "loss",     "duplication", "reordering", "clog",    "partition", "interface", "crash",
    "pause",    "reset",       "half-open",  "stall",   "no-route",  "nonsense",  "take-over",
    "peer-del", "ni-del",      "ni-add",     "net-del", "discovery", "lies"};
static_assert(kFaultWords.size() == kFaultKinds.size());

}  // namespace

const char* to_string(FaultKind kind) { return kFaultWords[static_cast<std::size_t>(kind)]; }

std::optional<FaultKind> fault_kind(std::string_view word) {
  for (const FaultKind kind : kFaultKinds)
    if (word == to_string(kind)) return kind;
  return {};
}

}  // namespace ulnet::sim
