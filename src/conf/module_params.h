// The module parameters that a file of modprobe's gives a node. Source: spec/cli-lnetctl.md 9, 10,
// 11.3, 11.4.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "conf/problem.h"

namespace ulnet::conf {

/// The parameters of `options` lines for the modules of LNet (lnet, ksocklnd, libcfs,
/// lnet_selftest), by their names here, in their canonical texts; options of other modules are
/// passed over. Of a parameter that is given twice the later counts. Else all problems: a parameter
/// that does not exist, a value that it cannot have; in networks=, ip2nets= and routes= the first
/// thing that is wrong, at its place.
tl::expected<std::map<std::string, std::string>, std::vector<Problem>> module_params(
    std::string_view text);

}  // namespace ulnet::conf
