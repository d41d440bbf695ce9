// Asks hosts, several at the same time: what they have configured, and what they reach.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "plan/verify/verify.h"
#include "tools/fgr/verify/via.h"

namespace ulnet::tools::fgr {

struct AskWish {
  unsigned at_once = 16;              ///< hosts
  std::chrono::seconds ping{1};       ///< how long a ping may take
  std::chrono::seconds patience{15};  ///< how long a host may take to say what it has
  std::chrono::seconds within{300};   ///< all of it: what is not asked then stays unasked
  std::function<bool()> given_up;     ///< asked by several threads: nothing more is to be asked
  std::string lnetctl = "lnetctl";    ///< the program, here and there
  std::string ssh = "ssh";
};
struct AskProgress {
  std::size_t hosts = 0, of_hosts = 0, pings = 0, of_pings = 0;
};

struct Asked {
  std::vector<plan::HostSeen> seen;  ///< an entry for each of the hosts of the checks
  std::vector<std::string> notes;    ///< sentences about what was not asked
};

/// `told` is called after every step, by one thread at a time.
Asked ask_all(const plan::VerifyChecks& checks, const std::vector<ViaHost>& hosts,
              const AskWish& wish, const std::function<void(const AskProgress&)>& told);

}  // namespace ulnet::tools::fgr
