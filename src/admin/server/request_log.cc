#include "admin/server/request_log.h"

#include <fmt/format.h>

#include "lnet/base/text.h"

namespace ulnet::node::control {

namespace {

enum Level : int { kDebug = 0, kInfo = 1, kWarning = 2 };

/// How many bytes of a path or a body are logged.
constexpr std::size_t kBodyShown = 240;

/// Returns the beginning of a text, cut between characters.
std::string beginning(std::string_view all) {
  std::size_t bytes = 0;
  for (std::string_view rest = all; !rest.empty();) {
    const auto letter = text::first_letter(rest);
    const std::size_t size = letter ? letter->bytes : 1;
    if (bytes + size > kBodyShown) return std::string(all.substr(0, bytes)) + "...";
    bytes += size;
    rest.remove_prefix(size);
  }
  return std::string(all);
}

}  // namespace

void log_request(const ControlLog& log, const Request& request, const Reply& reply,
                 const std::string& change) {
  if (!log) return;
  if (change.empty())
    return log(kDebug, fmt::format("{} {}: {}, asked by {}", request.method,
                                   beginning(request.path), reply.status, request.caller.who));
  log(kInfo, change);
}

std::string change_line(const Request& request, const Reply& reply, std::string_view change) {
  const char* const ended = reply.in_part ? "done in part: " : "failed: ";
  const bool done = reply.status < 400 && reply.problem.empty();
  const std::string outcome = done ? "done" : ended + reply.problem;
  const std::string body = (request.body.empty() ? "" : " ") + beginning(request.body);
  return fmt::format("{}{}: {}, asked by {}", change, body, outcome, request.caller.who);
}

void log_refusal(const ControlLog& log, const Request& request, std::string_view what) {
  if (log) log(kWarning, fmt::format("refused {}: {}", what, request.caller.refusal));
}

void log_no_memory(const ControlLog& log, std::string_view what) noexcept try {
  if (log) log(kWarning, fmt::format("{} failed: there is no memory or no thread for it", what));
} catch (...) {
}

void log_shortage(const ControlLog& log) {
  if (log)
    log(kWarning, "the node refuses long lists for now: the control API has used up its memory");
}

}  // namespace ulnet::node::control
