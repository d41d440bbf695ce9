// Reads the output of ibnetdiscover: which host is plugged into which port of which switch of an
// InfiniBand fabric. The text may be cut short, and names in it may be anything.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "plan/verify/verify.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct Fabric {
  std::vector<plan::SeenCable> cables;  ///< of hosts of the plan
  /// Sentences: hosts of the plan that are not in the text, descriptions in which there is no host
  /// of the plan, and where the text is cut short or not understood.
  std::vector<std::string> remarks;
};

/// A host is whose name is a word of an adapter's description ("snx11001n004 HCA-1"), whatever the
/// case and its domain; a switch is known by a word of its description ("MF0;left0:IS5035/U1"), or
/// when the plan names it by its GUID. Beyond 200,000 cables of hosts of the plan the rest is
/// left out and told. -EINVAL: there is no switch with a port in the text, so it is none of
/// ibnetdiscover; -E2BIG: more than 4 million lines.
Result<Fabric> read_ibnetdiscover(std::istream& text, const plan::VerifyChecks& checks);

}  // namespace ulnet::tools::fgr
