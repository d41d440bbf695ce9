// Commands that lnetctl does not have: file, counters, reload. Source: spec/core-semantics.md 16,
// docs/CONTROL-API.md.
#include <nlohmann/json.hpp>

#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

int counters_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kJson});
  return session.show_by([](auto& lnet) { return lnet.show_counters(); }, "counters",
                         args.has("json"));
}

constexpr Command kCounters[] = {
    {"show",
     "counters show: show messages dropped by reason, what the tcp driver counts, and how long\n"
     "\tthreads work without a pause\n"
     "\t--json: as JSON\n",
     &counters_show, kUlnetOnly}};

}  // namespace

const std::span<const Command> kCountersCommands = kCounters;

int run_file(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kHelp}, Rest::kWords);
  if (args.rest().size() != 1) return print_help(session, self), -EINVAL;
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto text = lnet.show_file(args.rest().front());
  if (!text) return session.failed("show", "file", text.error());
  out(*text);
  return 0;
}

int run_reload(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kHelp, kJson});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto done = lnet.reload();
  if (!done) return session.failed("reload", "configuration", done.error());
  for (const std::string& warning : done->warnings) err("warning: " + warning + "\n");
  for (const Error& failure : done->failures) session.failed("reload", "configuration", failure);
  session.show({{"reload", {{"changes", done->changes}, {"failures", done->failures.size()}}}},
               args.has("json"));
  return done->failures.empty() ? 0 : kRequestFailed;
}

}  // namespace ulnet::tools
