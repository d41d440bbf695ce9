#include "admin/server/event_streams.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "admin/conf/daemon_settings.h"
#include "admin/server/counters.h"
#include "admin/server/limits.h"
#include "admin/server/reply.h"
#include "lnet/node/runtime/clock.h"

namespace ulnet::node::control {

namespace {

/// How many events the thread takes from the node at a time.
constexpr std::size_t kTaken = 16;
/// How many bytes a reader may send. A reader has nothing to send.
constexpr std::size_t kMaxHeard = 4U << 10;

std::chrono::milliseconds time_until(Instant due) {
  if (due == kNever) return limits::kStreamBeat;
  return std::chrono::ceil<std::chrono::milliseconds>(due - node::now());
}

}  // namespace

std::string json_of(const NodeEvent& event) {
  Json tree = {{"number", event.number},
               {"unix_ns", event.unix_ns},
               {"type", node::to_string(event.type)},
               {"level", conf::kLogLevels.at(event.level)}};
  if (!event.nid.is_any()) tree["nid"] = event.nid.to_string();
  tree["text"] = event.text;
  if (event.detail != 0) tree["detail"] = event.detail;
  if (event.count > 1) tree["count"] = event.count;
  if (!event.nids.empty()) {
    Json& nids = tree["nids"] = Json::array();
    for (const Nid& nid : event.nids) nids.push_back(nid.to_string());
  }
  return text_of(tree);
}

/// One connection. Used only by the thread of the streams.
class EventStreams::Stream {
 public:
  Stream(int descriptor, Place place, const StreamStart& start, EventStreams& streams)
      : descriptor_(descriptor),
        place_(std::move(place)),
        events_(start.events),
        wanted_(start.wanted),
        after_(start.after),
        streams_(streams),
        watch_(*events_, [&streams] { streams.wake(); }) {
    // The field `retry` makes the browser connect again soon. The comment shows that the stream has
    // begun.
    out_ = ": events of a ulnet node\nretry: 2000\n\n";
    if (start.restarted)
      out_ += "event: gap\ndata: {\"lost\": null, \"why\": \"the node was restarted\"}\n\n";
  }
  ~Stream() { ::close(descriptor_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  pollfd polled() const {
    return {descriptor_, static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
  }
  /// Returns the time until the thread must look at the stream again, even if nothing happens.
  std::chrono::milliseconds timeout() const {
    const auto beat =
        std::chrono::ceil<std::chrono::milliseconds>(moved_ + limits::kStreamBeat - Clock::now());
    return out_.empty() ? std::min(beat, time_until(folded_)) : limits::kStreamBeat;
  }

  /// Reads new events and sends the bytes that the reader takes. Returns false when the stream has
  /// ended.
  bool go_on(bool readable) {
    if (readable && !hear()) return false;
    do fill();
    while (send() && out_.empty() && more_);
    if (failed_ || (out_.empty() && ended_)) return false;
    const auto now = Clock::now();
    if (out_.empty()) {
      if (now - moved_ < limits::kStreamBeat) return true;
      out_ = ":\n\n";
      return send();
    }
    if (now - moved_ < limits::kStreamTimeout) return true;
    ++streams_.counters_.timed_out;
    return false;
  }

 private:
  /// Reads and discards the bytes that the reader sends. Returns false when the reader has gone or
  /// sends too much.
  bool hear() {
    char bytes[256];
    const auto got = ::recv(descriptor_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    heard_ += static_cast<std::size_t>(got);
    return got > 0 && heard_ <= kMaxHeard;
  }

  void fill() {
    // If the output is full, the stream goes on when there is space again.
    more_ = !ended_ && out_.size() >= limits::kStreamBytes;
    if (ended_ || more_) return;
    const auto reading = events_->read(after_, wanted_, kTaken);
    if (reading.lost != 0) {
      streams_.counters_.streams_lost += reading.lost;
      out_ += fmt::format("event: gap\ndata: {{\"lost\": {}}}\n\n", reading.lost);
    }
    for (const NodeEvent& event : reading.events)
      out_ += fmt::format("id: {}-{}\nevent: {}\ndata: {}\n\n", events_->incarnation(),
                          event.number, node::to_string(event.type), json_of(event));
    after_ = reading.upto;
    more_ = reading.more;
    folded_ = reading.folded;
    ended_ = reading.ended;
    if (ended_) out_ += "event: end\ndata: {\"why\": \"the node has stopped\"}\n\n";
  }

  /// Sends output. Returns false when the connection has failed.
  bool send() {
    std::size_t sent = 0;
    while (sent < out_.size()) {
      const auto count =
          ::send(descriptor_, out_.data() + sent, out_.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        failed_ = errno != EAGAIN && errno != EWOULDBLOCK;
        break;
      }
      sent += static_cast<std::size_t>(count);
      moved_ = Clock::now();
    }
    out_.erase(0, sent);
    return !failed_;
  }

  const int descriptor_;
  const Place place_;
  const std::shared_ptr<NodeEvents> events_;
  const EventsWanted wanted_;
  std::uint64_t after_;
  EventStreams& streams_;
  std::string out_;  // bytes that are not sent yet
  Clock::time_point moved_ = Clock::now();
  Instant folded_ = kNever;
  std::size_t heard_ = 0;
  bool more_ = false, ended_ = false, failed_ = false;
  const NodeEvents::Watch watch_;
};

EventStreams::EventStreams(ControlCounters& counters) : counters_(counters) {}

EventStreams::~EventStreams() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
    news_.raise();
  }
  if (thread_.joinable()) thread_.join();
  new_.clear();
}

/// Occupies one of the places for streams while `of` is not null.
struct EventStreams::TakenPlace {
  EventStreams* of = nullptr;
  TakenPlace() = default;
  TakenPlace(const TakenPlace&) = delete;
  TakenPlace& operator=(const TakenPlace&) = delete;
  ~TakenPlace() {
    if (of == nullptr) return;
    const std::scoped_lock freeing(of->mutex_);
    --of->places_;
  }
};

EventStreams::Place EventStreams::take_place() {
  const auto place = std::make_shared<TakenPlace>();
  const std::scoped_lock lock(mutex_);
  const bool woken = news_.descriptor() >= 0;
  if (places_ >= limits::kEventStreams || ending_ || !woken) return nullptr;
  if (!thread_.joinable()) try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return nullptr;
    }
  place->of = this;
  ++places_;
  return place;
}

void EventStreams::add(int descriptor, Place place, const StreamStart& start) {
  std::unique_ptr<Stream> stream;
  try {
    stream = std::make_unique<Stream>(descriptor, std::move(place), start, *this);
  } catch (const std::bad_alloc&) {
    ::close(descriptor);
    throw;
  }
  ++counters_.streams;
  const std::scoped_lock lock(mutex_);
  new_.push_back(std::move(stream));
  news_.raise();
}

void EventStreams::wake() {
  const std::scoped_lock lock(mutex_);
  news_.raise();
}

bool EventStreams::take_new(std::vector<std::unique_ptr<Stream>>& streams) {
  const std::scoped_lock lock(mutex_);
  news_.lower();
  std::move(new_.begin(), new_.end(), std::back_inserter(streams));
  new_.clear();
  return ending_;
}

/// Lets a stream go on. Returns false when it has ended, perhaps because no memory was left for its
/// output.
bool EventStreams::go_on(Stream& stream, bool readable) {
  try {
    return stream.go_on(readable);
  } catch (const std::bad_alloc&) {
    ++counters_.no_memory;
    return false;
  }
}

void EventStreams::run() {
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<pollfd> polled;
  while (true) {
    polled.assign(1, {news_.descriptor(), POLLIN, 0});
    auto timeout = limits::kStreamBeat;
    for (const auto& stream : streams) {
      polled.push_back(stream->polled());
      timeout = std::min(timeout, stream->timeout());
    }
    ::poll(polled.data(), polled.size(),
           static_cast<int>(std::max<std::int64_t>(timeout.count(), 0)));
    const bool ending = take_new(streams);
    std::size_t at = 0;
    std::erase_if(streams, [&](const std::unique_ptr<Stream>& stream) {
      ++at;  // new streams were not polled
      return !go_on(*stream, at < polled.size() && polled[at].revents != 0);
    });
    // The server closes right after its node has stopped. The node's last events were sent above.
    if (ending) return;
  }
}

}  // namespace ulnet::node::control
