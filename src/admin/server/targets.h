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

/// "NID" or, with `pids`, "PID-NID" too; a text without a PID means any. -EINVAL.
Result<std::vector<Target>> parse_targets(const std::vector<std::string>& texts, bool pids);

/// Asks all of them, many at the same time, so that dead ones do not cost a time-out each.
void ask_all(std::vector<Target>& targets,
             const std::function<Result<PingReply>(const ProcessId&)>& ask);

/// `{SECTION: [those that answered], "failed": [the others]}`. `with_times`: with ulnet's own key
/// `rtt_us`, the time that each took.
Json answers_tree(const char* section, const std::vector<Target>& targets, bool with_times = false);

}  // namespace ulnet::node::control
