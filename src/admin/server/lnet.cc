// /v1/lnet: configures and unconfigures LNet as a whole. Source: spec/cli-lnetctl.md 3.1.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

namespace {

/// How long messages in flight may take to end by themselves at `lnet unconfigure`.
constexpr std::chrono::seconds kUnconfigureTime{2};
/// The longest mark, in bytes.
constexpr std::size_t kMarkMax = 1000;

}  // namespace

Reply reply_not_configured() {
  return reply_error(503, -ENETDOWN, "Unspecific failure",
                     "LNet is not configured in this node: 'lnet configure' starts it");
}

Reply configure_lnet(Context& context, const Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto op = fields.text("op");
  ConfigureOptions options;
  options.all = fields.boolean("all").value_or(false);
  options.large = fields.boolean("large").value_or(false);
  if (!op || (*op != "configure" && *op != "unconfigure"))
    fields.refuse(-EINVAL, "'op' must be \"configure\" or \"unconfigure\"");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  if (*op == "configure") return reply_result(context.slot.configure(options));
  return reply_result(context.slot.unconfigure(kUnconfigureTime));
}

Reply mark_log(Context& context, const Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto text = fields.text("text");
  if (!text) fields.refuse(-EINVAL, "'text' is missing");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  std::string line = text->substr(0, kMarkMax);
  // Control characters become blanks, so that one mark is one line.
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  constexpr int kError = 3;  // a level at which the mark is in every log
  if (context.log) context.log(kError, "DEBUG MARKER: " + line);
  return reply_done();
}

}  // namespace ulnet::node::control
