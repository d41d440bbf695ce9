// Reads the output of ibnetdiscover. The text may be cut short, and names in it may be anything.
#pragma once

#include <string_view>

#include "fgr/fabric/fabric.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

/// Of a description the first 128 bytes count. -EINVAL: there is no switch with a port in the text,
/// so it is none of ibnetdiscover.
Result<Fabric> read_ibnetdiscover(std::string_view text);

}  // namespace ulnet::plan
