// events: past events of the node, or new ones as they happen. Source: docs/CONTROL-API.md, GET
// /v1/events.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "admin/client/event_stream.h"
#include "admin/client/node_connection.h"
#include "admin/client/tree_fields.h"
#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

using ctl::Tree;

struct EventsOptions {
  std::string types, level, after;
  bool json = false;
};

/// Returns "2026-11-26T15:01:02.123Z", in UTC.
std::string time_of(std::uint64_t unix_ns) {
  constexpr std::uint64_t kPerSecond = 1'000'000'000, kPerMs = 1'000'000;
  const auto seconds = static_cast<std::time_t>(unix_ns / kPerSecond);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds),
                     unix_ns % kPerSecond / kPerMs);
}

/// Returns the event as an item of a YAML list, on one line.
std::string line_of(const Tree& event) {
  std::string line =
      fmt::format("    - {{ number: {}, time: {}, type: {}", ctl::count_in(event, "number"),
                  time_of(ctl::count_in(event, "unix_ns")), ctl::text_in(event, "type"));
  const std::string level = ctl::text_in(event, "level"), nid = ctl::text_in(event, "nid");
  if (level == "warning" || level == "error") line += ", level: " + level;
  if (!nid.empty()) line += ", nid: " + nid;
  line += ", what: " + Tree(ctl::text_in(event, "text")).dump();
  if (const std::uint64_t count = ctl::count_in(event, "count"); count != 0)
    line += fmt::format(", count: {}", count);
  std::string nids;
  for (const Tree& one : ctl::list_in(event, "nids"))
    if (one.is_string()) nids += (nids.empty() ? "" : ", ") + one.get<std::string>();
  if (!nids.empty()) line += ", nids: [ " + nids + " ]";
  return line + " }\n";
}

std::string gap_of(const Tree& gap) {
  const std::uint64_t lost = ctl::count_in(gap, "lost");
  if (lost == 0 || ctl::bool_in(gap, "restarted"))
    return "    # the node was restarted: earlier events are lost\n";
  return fmt::format("    # {} events are missing here\n", lost);
}

int show_past(Session& session, const EventsOptions& options) {
  ctl::NodeConnection node(session.control());
  const auto client = node.open(ctl::Intent::kShow);
  if (!client) return session.failed("show", "events", client.error());
  std::string path = "/v1/events?wait=0";
  if (!options.types.empty()) path += "&types=" + ctl::query_escape(options.types);
  if (!options.level.empty()) path += "&level=" + ctl::query_escape(options.level);
  if (!options.after.empty()) path += "&after=" + ctl::query_escape(options.after);
  const auto tree = (*client)->get(path);
  if (!tree) return session.failed("show", "events", tree.error());
  if (options.json) return session.show(*tree, true), 0;
  out("events:\n");
  if (ctl::count_in(*tree, "lost") != 0 || ctl::bool_in(*tree, "restarted")) out(gap_of(*tree));
  for (const Tree& event : ctl::list_in(*tree, "events")) out(line_of(event));
  return 0;
}

int follow(Session& session, const EventsOptions& options) {
  ctl::NodeConnection node(session.control());
  if (const auto client = node.open(ctl::Intent::kShow); !client)
    return session.failed("show", "events", client.error());
  ctl::EventStream stream({node.path(), options.types, options.level, options.after});
  if (!options.json) out("events:\n");
  std::fflush(stdout);
  const auto ended = stream.follow([&](const ctl::StreamEvent& event) {
    using Kind = ctl::StreamEvent::Kind;
    Tree tree = event.tree;
    if (event.kind == Kind::kEvent) tree["id"] = event.id;
    if (options.json)
      out(tree.dump() + "\n");
    else
      out(event.kind == Kind::kEvent ? line_of(event.tree)
          : event.kind == Kind::kGap ? gap_of(event.tree)
                                     : "    # the node has stopped\n");
    // The reader of a pipe wants each event at once. When the pipe has no reader, the command ends.
    return std::fflush(stdout) == 0;
  });
  return session.finish("show", "events", ended);
}

}  // namespace

int run_events(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {kHelp,
                                       {"follow", 'f', Option::kFlag},
                                       {"types", 't', Option::kValue},
                                       {"level", 'l', Option::kValue},
                                       {"after", 0, Option::kValue},
                                       kJson});
  const EventsOptions options{.types = args.value("types").value_or(""),
                              .level = args.value("level").value_or(""),
                              .after = args.value("after").value_or(""),
                              .json = args.has("json") || session.json()};
  return args.has("follow") ? follow(session, options) : show_past(session, options);
}

}  // namespace ulnet::tools
