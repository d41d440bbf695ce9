// The settings of the `global` section by name, each value checked before it is stored. Source:
// spec/cli-lnetctl.md 11.1, spec/multirail.md 5.1, 6, 12.
#pragma once

#include <cstdint>
#include <string_view>

#include "lnet/core/contract/config.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// Sets a name of the `global` section. The errors are those that lnetctl prints: -ENODATA "cannot
/// configure retry count: Invalid argument"; -ENOENT for an unknown name. Values that LNet clamps
/// are clamped here too.
Result<void> set_global(core::Globals& globals, std::string_view name, std::int64_t value);

/// The value of a setting. Asserts that the name exists.
std::int64_t get_global(const core::Globals& globals, std::string_view name);

}  // namespace ulnet::conf
