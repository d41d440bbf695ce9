// Asks hosts what fgr/verify/asking.h wants to know, several at the same time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "fgr/hosts/via.h"
#include "fgr/verify/asking.h"

namespace ulnet::tools::fgr {

struct AskWish {
  unsigned at_once = 16;  ///< hosts
  /// How often what failed is asked again: for a minute in all, the longest that LNet waits until
  /// it looks at a router again (docs/spec/multirail.md) or dials a peer again (wire-socklnd.md).
  unsigned retries = 6;
  std::chrono::seconds ping{1};       ///< how long a ping may take
  std::chrono::seconds patience{15};  ///< how long a host may take to say what it has
  std::chrono::seconds within{300};   ///< all of it: what is not asked then stays unasked
  std::function<bool()> given_up;     ///< asked by several threads: nothing more is to be asked
  std::string lnetctl = "lnetctl";    ///< the program, here and there
  std::string ssh = "ssh";
};

/// `told` is called after every answer, by one thread at a time.
plan::Asked ask_all(const plan::VerifyChecks& checks, const std::vector<ViaHost>& hosts,
                    const AskWish& wish, const std::function<void(const plan::AskProgress&)>& told);

}  // namespace ulnet::tools::fgr
