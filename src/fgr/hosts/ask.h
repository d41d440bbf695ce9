// Asks hosts the questions of fgr/verify/asking.h, several hosts at the same time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "fgr/hosts/via.h"
#include "fgr/verify/asking.h"

namespace ulnet::tools::fgr {

struct AskOptions {
  unsigned at_once = 16;  ///< the number of hosts asked at a time
  /// How often a failed question is repeated. The repetitions last for a minute in all, which is
  /// the longest time until LNet checks a router again (docs/spec/multirail.md) or dials a peer
  /// again (wire-socklnd.md).
  unsigned retries = 6;
  std::chrono::seconds ping{1};       ///< how long a ping may take
  std::chrono::seconds patience{15};  ///< how long a host may take to report its configuration
  /// the time for all questions; questions that are left after it are not asked
  std::chrono::seconds within{300};
  std::function<bool()> given_up;   ///< called by several threads; true: ask no more questions
  std::string lnetctl = "lnetctl";  ///< the program's name, on this machine and on others
  std::string ssh = "ssh";
};

/// Asks the hosts, and returns their answers. Calls `on_progress` after every answer, in one thread
/// at a time.
plan::Asked ask_all(const plan::VerifyChecks& checks, const std::vector<ViaHost>& hosts,
                    const AskOptions& options,
                    const std::function<void(const plan::AskProgress&)>& on_progress);

}  // namespace ulnet::tools::fgr
