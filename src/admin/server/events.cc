// /v1/events: the events of the node, as they happen or as a list. LNet has no such request.
#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "admin/conf/daemon_settings.h"
#include "admin/server/counters.h"
#include "admin/server/handlers.h"
#include "admin/server/pieces.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

/// How many events are taken from the node at a time for a list.
constexpr std::size_t kTakenAtOnce = 32;

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// Makes the stream go on after the event that `text` names: a number, or an event's id
/// ("INCARNATION-NUMBER"), which may be that of an earlier node. Returns false if `text` is
/// neither.
bool go_on_after(std::string_view text, StreamStart& start) {
  const std::size_t dash = text.find('-');
  const auto number = number_of(dash == text.npos ? text : text.substr(dash + 1));
  if (!number) return false;
  start.after = *number;
  if (dash == text.npos) return true;
  const auto incarnation = number_of(text.substr(0, dash));
  if (!incarnation) return false;
  start.restarted = *incarnation != start.events->incarnation();
  if (start.restarted) start.after = 0;
  return true;
}

/// Returns the stream that the request asks for, or what is wrong with the request.
Result<StreamStart> start_of(const Request& request, Node& node, bool list) {
  StreamStart start{.events = node.events()};
  std::string wrong;
  if (request.has_param("types")) {
    const auto types = EventTypes::parse(request.param("types"), wrong);
    if (!types) return fail(-EINVAL, "'" + wrong + "' is not a type of event");
    start.wanted.types = *types;
  }
  if (request.has_param("level")) {
    const std::string_view name = request.param("level");
    const auto found = std::ranges::find(conf::kLogLevels, name);
    if (found == conf::kLogLevels.end())
      return fail(-EINVAL,
                  "'" + std::string(name) + "' is not a level (debug, info, warning or error)");
    start.wanted.level = static_cast<std::uint8_t>(found - conf::kLogLevels.begin());
  }
  if (request.has_param("after")) {
    if (!go_on_after(request.param("after"), start))
      return fail(-EINVAL, "'after' must be the number or the id of an event");
  } else if (const auto last = request.header("Last-Event-ID"); !last.empty()) {
    if (!go_on_after(last, start)) return fail(-EINVAL, "Last-Event-ID is not the id of an event");
  } else if (!list) {
    start.after = start.events->newest();
  }
  if (start.after > start.events->newest()) {  // the number is from an earlier node
    start.after = 0;
    start.restarted = true;
  }
  return start;
}

Reply list_of(Context& context, std::shared_ptr<Node> node, const StreamStart& start) {
  return reply_in_pieces(context, std::move(node), kJson, 0,
                         [start, stop = start.events->newest()](Node&, Pieces& to) {
                           to.add("{\"events\":[");
                           JsonItems items(to);
                           NodeEvents::Reading reading;
                           std::uint64_t lost = 0, after = start.after;
                           do {
                             reading = start.events->read(after, start.wanted, kTakenAtOnce);
                             lost += reading.lost;
                             after = reading.upto;
                             for (const NodeEvent& event : reading.events)
                               items.next().add(json_of(event));
                           } while (reading.more && after < stop);
                           const std::string id = std::to_string(start.events->incarnation()) +
                                                  "-" + std::to_string(after);
                           to.add("],\"lost\":" + std::to_string(lost) +
                                  ",\"restarted\":" + (start.restarted ? "true" : "false") +
                                  ",\"last\":\"" + id + "\"}");
                         });
}

Reply refuse_stream(Context& context) {
  ++context.counters.streams_refused;
  Reply reply = reply_error(
      503, -EBUSY,
      "the node has too many event streams: ask again later, or ask for a list (wait=0)");
  reply.headers = {{"Retry-After", "10"}};
  return reply;
}

}  // namespace

Reply show_events(Context& context, const NodePtr& node, const Request& request) {
  const std::string_view wait = request.param("wait");
  if (request.has_param("wait") && wait != "0" && wait != "1")
    return reply_error(400, -EINVAL, "'wait' must be 0 or 1");
  const bool list = wait == "0";
  const auto start = start_of(request, *node, list);
  if (!start) return reply_error(400, start.error().code, start.error().reason);
  if (list) return list_of(context, node, *start);
  auto place = context.streams.take_place();
  if (place == nullptr) return refuse_stream(context);
  Reply reply;
  reply.content_type = "text/event-stream";
  reply.headers = {{"Cache-Control", "no-store"}};
  reply.hand_over = [&context, place = std::move(place), start = *start](int descriptor) {
    context.streams.add(descriptor, place, start);
  };
  return reply;
}

}  // namespace ulnet::node::control
