#include "admin/client/event_stream.h"

#include <httplib.h>

#include <utility>

#include "admin/client/control_client.h"
#include "admin/client/event_parser.h"
#include "admin/client/tree_fields.h"

namespace ulnet::ctl {

namespace {

constexpr std::chrono::seconds kConnectTimeout{5};
/// How many bytes of an answer that is an error are read.
constexpr std::size_t kErrorBytes = 64U << 10;

httplib::Client client_of(const std::string& api) {
  if (api.find('/') == api.npos) return httplib::Client("http://" + api);
  httplib::Client client(api, 80);  // the port is not used
  client.set_address_family(AF_UNIX);
  return client;
}

std::string path_of(const EventStreamOptions& options) {
  std::string path = "/v1/events";
  char before = '?';
  if (!options.types.empty())
    path += std::exchange(before, '&') + ("types=" + query_escape(options.types));
  if (!options.level.empty())
    path += std::exchange(before, '&') + ("level=" + query_escape(options.level));
  if (!options.after.empty())
    path += std::exchange(before, '&') + ("after=" + query_escape(options.after));
  return path;
}

/// Interprets the event `came`. Returns nothing if the control API sends no such event.
std::optional<StreamEvent> read(const StreamedEvent& came) {
  StreamEvent event{.id = came.id, .tree = Tree::parse(came.data, nullptr, false)};
  if (!event.tree.is_object()) return {};
  if (came.kind == "gap") event.kind = StreamEvent::Kind::kGap;
  if (came.kind == "end") event.kind = StreamEvent::Kind::kEnd;
  return event;
}

}  // namespace

struct EventStream::Connection {
  explicit Connection(const std::string& api) : http(client_of(api)) {
    if (api.find('/') != api.npos) http.set_default_headers({{"Host", "ulnet"}});
    http.set_connection_timeout(kConnectTimeout);
    http.set_read_timeout(kTimeout);
  }
  httplib::Client http;
};

EventStream::EventStream(EventStreamOptions options)
    : options_(std::move(options)), connection_(std::make_unique<Connection>(options_.api)) {}
EventStream::~EventStream() = default;

void EventStream::stop() {
  stopped_ = true;
  connection_->http.stop();
}

Result<void> EventStream::follow(const Take& take) {
  if (stopped_) return {};
  EventParser parser;
  int status = 0;
  std::string answer;  // an answer that is not a stream
  bool over = false;   // take() or the node has ended the stream
  bool strange = false;
  const auto take_one = [&](const StreamedEvent& came) {
    const auto event = read(came);
    strange = !event;
    if (!event || stopped_) return false;
    over = !take(*event) || event->kind == StreamEvent::Kind::kEnd;
    return !over;
  };
  const auto result = connection_->http.Get(
      path_of(options_),
      [&](const httplib::Response& response) {
        status = response.status;
        return !stopped_;
      },
      [&](const char* bytes, std::size_t size) {
        if (stopped_) return false;
        if (status == 200) return parser.feed({bytes, size}, take_one);
        answer.append(bytes, std::min(size, kErrorBytes - answer.size()));
        return answer.size() < kErrorBytes;
      });
  if (over || stopped_) return {};
  if (strange || parser.too_long())
    return fail(-EPROTO, "the node sent something that is not an event");
  if (status != 0 && status != 200)
    return tl::unexpected(error_in(Tree::parse(answer, nullptr, false), status));
  if (status == 0) return fail(-ECONNREFUSED, "no node answers at " + options_.api);
  return fail(-ECONNRESET, result.error() == httplib::Error::Success
                               ? "the node has closed the stream of events"
                               : "the stream of events broke off, or nothing came for " +
                                     std::to_string(kTimeout.count()) + " s");
}

}  // namespace ulnet::ctl
