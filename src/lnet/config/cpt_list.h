// Lists of CPTs and of interfaces, as `--cpt`, `--if` and networks= take them. Source:
// spec/cli-lnetctl.md 3.2, 9.1.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lnet/config/model.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// "[0,2-3]", "0" or "0,1" as CPT numbers, in order, each once. -EINVAL for a reversed range, an
/// empty list and other text, -ERANGE beyond limits::kMaxCpts.
Result<std::vector<std::uint32_t>> parse_cpt_list(std::string_view text);

/// "eth0,eth1[0,1],eth2:0": the argument of `net add --if`. -EINVAL "bad interface list"; -ERANGE
/// "invalid CPT value" beyond limits::kMaxCpts.
Result<std::vector<NiItem>> parse_interface_list(std::string_view text);

}  // namespace ulnet::conf
