// The nodes that a request names, and the answer of each: the common part of /v1/ping and
// /v1/discover. Source: spec/cli-lnetctl.md 3.10, 3.11, 4.7.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "admin/server/reply.h"
#include "ulnet/lnet.hpp"

namespace ulnet::node::control {

struct Target {
  std::string text;  ///< as in the request, for the error
  ProcessId id;
  Result<PingReply> answer = fail(-EINTR);
  std::chrono::microseconds took{};  ///< the time until the answer
};

/// Parses texts of the form "NID" or, with `pids`, also "PID-NID"; a text without a PID means any
/// PID. -EINVAL.
Result<std::vector<Target>> parse_targets(const std::vector<std::string>& texts, bool pids);

/// Asks all targets, many at the same time, so that dead targets do not cost a time-out each.
void ask_all(std::vector<Target>& targets,
             const std::function<Result<PingReply>(const ProcessId&)>& ask);

/// Returns `{SECTION: [targets that answered], "failed": [other targets]}`. With `with_times` a
/// target that answered has ulnet's own key `rtt_us`, the time until its answer.
Json answers_tree(const char* section, const std::vector<Target>& targets, bool with_times = false);

}  // namespace ulnet::node::control
