#include "lnet/config/globals.h"

#include <algorithm>
#include <string>

#include "lnet/base/assert.h"
#include "lnet/config/params.h"

namespace ulnet::conf {
namespace {

tl::unexpected<Error> cannot_configure(std::string_view setting) {
  std::string words(setting);
  std::ranges::replace(words, '_', ' ');
  return fail(-ENODATA, "cannot configure " + words + ": Invalid argument");
}

/// The value that LNet uses for a value out of the setting's range; the value itself, if LNet
/// refuses it.
std::int64_t clamped(const GlobalSetting& setting, std::int64_t value) {
  if (setting.name == "discovery") return 1;             // every other number means on
  if (setting.name == "numa_range") return setting.max;  // then distances make no difference
  if (setting.name == "max_interfaces") return value < setting.min ? setting.initial : setting.max;
  return value;
}

/// Whether a value in its range is consistent with the other settings (spec/multirail.md 5.1, 6).
bool fits_others(const core::Globals& g, std::string_view name, std::int64_t value) {
  if (name == "retry_count")
    return value <= g.transaction_timeout && (value == 0 || g.health_sensitivity != 0);
  return name != "transaction_timeout" || value > g.retry_count;
}

}  // namespace

Result<void> set_global(core::Globals& g, std::string_view name, std::int64_t value) {
  const GlobalSetting* setting = find_global(name);
  if (setting == nullptr) return fail(-ENOENT, "no global setting '" + std::string(name) + "'");
  if (!setting->has(value)) value = clamped(*setting, value);
  if (!setting->has(value) || !fits_others(g, name, value)) {
    if (name == "response_tracking") return fail(-EINVAL, "Valid values are: 0, 1, 2, or 3");
    return cannot_configure(name);
  }
  g.*setting->field = static_cast<std::int32_t>(value);
  if (name == "health_sensitivity" && value == 0) g.retry_count = 0;
  return {};
}

std::int64_t get_global(const core::Globals& g, std::string_view name) {
  const GlobalSetting* setting = find_global(name);
  ULNET_ASSERT(setting != nullptr);
  return g.*setting->field;
}

}  // namespace ulnet::conf
