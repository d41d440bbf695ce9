#include "lnet/lnd/lnd.h"

namespace ulnet::lnd {

Result<NiStarted> Lnd::tune_ni(core::NiId, const NiTuning&) {
  return fail(-EOPNOTSUPP, "this driver has nothing to tune");
}
Result<void> Lnd::set_tunable(std::string_view, std::string_view) {
  return fail(-ENOENT, "this driver has no tunables");
}
std::string Lnd::trouble(const Nid&, int) { return {}; }
std::vector<std::pair<std::string, std::uint64_t>> Lnd::counters() { return {}; }

}  // namespace ulnet::lnd
