// The module parameters that a file of modprobe's gives a node. Source: spec/cli-lnetctl.md 9, 10,
// 11.3, 11.4.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lnet/config/problem.h"

namespace ulnet::conf {

struct ModuleParams {
  std::map<std::string, std::string> values;  ///< by their names here, in their canonical texts
  std::map<std::string, Place> places;        ///< where each value stands
  Notes notes;                                ///< what was passed over
};

/// The parameters of `options` lines for kLnetModules (modprobe.h). Of a parameter that is given
/// twice the later counts. One that does not exist here is passed over with a note: production
/// loads its modules all the same. Numbers may be hexadecimal or octal. Else all problems: a value
/// that a parameter cannot have; in networks=, ip2nets= and routes= the first thing that is wrong,
/// at its place.
tl::expected<ModuleParams, std::vector<Problem>> module_params(std::string_view text);

}  // namespace ulnet::conf
