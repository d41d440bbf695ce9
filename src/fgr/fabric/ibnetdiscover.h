// Reads the output of ibnetdiscover. The text may be cut short, and names in it may be anything.
#pragma once

#include <string_view>

#include "fgr/fabric/fabric.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

/// Uses the first 128 bytes of a description. -EINVAL: the text contains no switch with a port, so
/// it is not an output of ibnetdiscover.
Result<Fabric> read_ibnetdiscover(std::string_view text);

}  // namespace ulnet::plan
