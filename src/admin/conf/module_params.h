// The module parameters that a modprobe file gives a node. Source: spec/cli-lnetctl.md 9, 10, 11.3,
// 11.4.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "lnet/config/problem.h"

namespace ulnet::conf {

struct ModuleParams {
  /// Canonical texts, by ulnet's names of the parameters.
  std::map<std::string, std::string> values;
  std::map<std::string, Place> places;  ///< where each value is in the text
  Problems notes;                       ///< the parameters that were ignored
};

/// Reads the parameters of `options` lines for kLnetModules (modprobe.h). If a parameter is given
/// twice, the later value counts. A parameter that ulnet does not have is ignored with a note,
/// because production loads its modules in spite of it. Numbers may be hexadecimal or octal.
/// Otherwise returns all problems: a value that a parameter cannot have; in networks=, ip2nets= and
/// routes= the first mistake, at its place.
tl::expected<ModuleParams, Problems> module_params(std::string_view text);

}  // namespace ulnet::conf
