// /v1/lnet: configures and unconfigures LNet as a whole. Source: spec/cli-lnetctl.md 3.1.
#include <nlohmann/json.hpp>

#include "control/fields.h"
#include "control/handlers.h"

namespace ulnet::node::control {

namespace {

/// How long messages in flight may take to end by themselves at `lnet unconfigure`.
constexpr std::chrono::seconds kUnconfigureTime{2};

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

}  // namespace ulnet::node::control
