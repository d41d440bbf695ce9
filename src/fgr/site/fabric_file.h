// The fabric that a file describes. Source: docs/FGR.md, "The real fabric".
#pragma once

#include <string>

#include "fgr/fabric/fabric.h"
#include "lnet/config/problem.h"

namespace ulnet::tools::fgr {

/// Reads a text that ibnetdiscover printed, or a cached fabric (ibnetdiscover --cache), which
/// ibnetdiscover --load-cache on this machine reads. The problem is in `file`.
conf::Parsed<plan::Fabric> fabric_of_file(const std::string& file);

}  // namespace ulnet::tools::fgr
