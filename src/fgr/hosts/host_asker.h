// A host that can be asked.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "fgr/hosts/ask.h"
#include "fgr/verify/verify.h"

namespace ulnet::tools::fgr {

class HostAsker {
 public:
  virtual ~HostAsker() = default;
  /// Asks for the host's configuration. The error's reason is for people.
  virtual Result<plan::HostSeen> state(std::chrono::milliseconds time) = 0;
  /// Lets the host ping the targets. Returns an entry for each target, in their order.
  virtual Result<std::vector<plan::SeenPing>> pings(const std::vector<plan::PingTarget>& targets,
                                                    std::chrono::milliseconds time) = 0;
};

std::unique_ptr<HostAsker> asker_for(const Via& via, const AskOptions& options);

}  // namespace ulnet::tools::fgr
