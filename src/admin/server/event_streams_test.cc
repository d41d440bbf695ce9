// Streams of events over socket pairs, without HTTP.
#include "admin/server/event_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "admin/server/counters.h"
#include "admin/server/limits.h"

namespace ulnet::node::control {
namespace {

using testing::HasSubstr;

/// The reader's end of a stream.
class StreamReader {
 public:
  explicit StreamReader(int descriptor) : descriptor_(descriptor) {}
  ~StreamReader() { ::close(descriptor_); }
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  /// Reads until `text` has come, and removes and returns everything up to its end. If nothing
  /// comes for 20 s, or the stream ends, returns what was read.
  std::string until(std::string_view text) {
    while (true) {
      if (const std::size_t at = heard_.find(text); at != std::string::npos) {
        const std::string head = heard_.substr(0, at + text.size());
        heard_.erase(0, head.size());
        return head;
      }
      pollfd polled{descriptor_, POLLIN, 0};
      if (::poll(&polled, 1, 20'000) <= 0) return heard_ + "<stuck>";
      char bytes[4096];
      const auto got = ::recv(descriptor_, bytes, sizeof bytes, 0);
      if (got <= 0) return std::exchange(heard_, {}) + "<end>";
      heard_.append(bytes, static_cast<std::size_t>(got));
    }
  }
  void say(std::string_view bytes) {
    (void)::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

 private:
  const int descriptor_;
  std::string heard_;
};

struct EventStreamsTest : testing::Test {
  std::unique_ptr<StreamReader> open(StreamStart start = {}) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    auto place = streams->take_place();
    EXPECT_NE(place, nullptr);
    if (start.events == nullptr) start.events = events;
    streams->add(ends[0], std::move(place), start);
    return std::make_unique<StreamReader>(ends[1]);
  }
  void add(const std::string& text, NodeEvent::Type type = NodeEvent::Type::kDiscovery) {
    events->add({.type = type, .of_discovery = true, .text = text});
  }

  std::shared_ptr<NodeEvents> events = std::make_shared<NodeEvents>();
  ControlCounters counters;
  std::unique_ptr<EventStreams> streams = std::make_unique<EventStreams>(counters);
};

TEST_F(EventStreamsTest, SendsWhatHappensAsItHappens) {
  const auto reader = open();
  EXPECT_THAT(reader->until("\n\n"), HasSubstr("retry: "));
  add("ping sent");
  const std::string id = std::to_string(events->incarnation()) + "-1";
  EXPECT_THAT(reader->until("\n\n"),
              testing::StartsWith("id: " + id + "\nevent: discovery\ndata: {\"number\":1,"));
  add("ping answered");
  EXPECT_THAT(reader->until("\n\n"), HasSubstr("\"text\":\"ping answered\""));
  EXPECT_EQ(counters.streams, 1U);
}

TEST_F(EventStreamsTest, SendsOnlyTheRequestedTypes) {
  std::string wrong;
  const auto reader = open({.wanted = *EventTypes::parse("ni", wrong)});
  add("ping sent");
  add("is down", NodeEvent::Type::kNi);
  EXPECT_THAT(reader->until("is down"), testing::Not(HasSubstr("ping sent")));
}

TEST_F(EventStreamsTest, GoesOnAfterANumberAndSaysWhatIsMissing) {
  for (std::size_t i = 0; i < NodeEvents::kRemembered + 3; ++i) add("step");
  const auto late = open({.after = 1});
  EXPECT_THAT(late->until("\"number\":4,"), HasSubstr("event: gap\ndata: {\"lost\": 2}\n\n"));
  EXPECT_EQ(counters.streams_lost, 2U);
  const auto next = open({.after = NodeEvents::kRemembered + 2});
  EXPECT_THAT(next->until("\"number\":2051,"), testing::Not(HasSubstr("gap")));
  const auto other = open({.restarted = true});
  EXPECT_THAT(other->until("\"number\":4,"), HasSubstr("event: gap\ndata: {\"lost\": null,"));
}

TEST_F(EventStreamsTest, ASlowReaderDelaysNobodyAndGetsAGapEvent) {
  const auto slow = open(), quick = open();
  // when: more happens than socket and memory can hold, and only one reader reads
  const std::string text(NodeEvents::kTextBytes, 'x');
  constexpr std::size_t kMany = 4 * NodeEvents::kRemembered;
  for (std::size_t i = 1; i <= kMany; ++i) {
    add(text);
    if (i % 64 != 0) continue;
    const std::string number = "\"number\":" + std::to_string(i) + ",";
    ASSERT_THAT(quick->until(number), HasSubstr(number));
  }
  // then: the slow reader gets a gap and the last event
  const std::string last = "\"number\":" + std::to_string(kMany) + ",";
  const std::string heard = slow->until(last);
  EXPECT_THAT(heard, HasSubstr("event: gap\ndata: {\"lost\": "));
  EXPECT_THAT(heard, HasSubstr(last));
  EXPECT_GT(counters.streams_lost, 0U);
}

TEST_F(EventStreamsTest, EndsWithTheNode) {
  const auto reader = open();
  add("the node is stopping", NodeEvent::Type::kNode);
  events->end();
  const std::string heard = reader->until("<never>");
  EXPECT_THAT(heard, HasSubstr("the node is stopping"));
  EXPECT_THAT(heard,
              testing::EndsWith("event: end\ndata: {\"why\": \"the node has stopped\"}\n\n<end>"));
}

TEST_F(EventStreamsTest, AServerThatClosesAtOnceSendsTheEndFirst) {
  for (int round = 0; round < 100; ++round) {
    events = std::make_shared<NodeEvents>();
    streams = std::make_unique<EventStreams>(counters);
    const auto reader = open();
    add("the node is stopping", NodeEvent::Type::kNode);
    events->end();
    streams.reset();
    ASSERT_THAT(reader->until("<never>"), HasSubstr("event: end\n")) << "round " << round;
  }
}

TEST_F(EventStreamsTest, EndsWithTheServer) {
  const auto reader = open();
  reader->until("\n\n");
  streams.reset();
  EXPECT_EQ(reader->until("<never>"), "<end>");
}

TEST_F(EventStreamsTest, TheNumberOfStreamsIsLimited) {
  std::vector<std::unique_ptr<StreamReader>> readers;
  for (std::size_t i = 0; i < limits::kEventStreams; ++i) readers.push_back(open());
  EXPECT_EQ(streams->take_place(), nullptr);
  // when: one reader goes, a place is free again
  readers.pop_back();
  EventStreams::Place place;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (place == nullptr && std::chrono::steady_clock::now() < deadline)
    place = streams->take_place();
  EXPECT_NE(place, nullptr);
  EXPECT_EQ(streams->take_place(), nullptr);
}

TEST_F(EventStreamsTest, AReaderThatTalksTooMuchIsClosed) {
  const auto reader = open();
  reader->until("\n\n");
  reader->say("a little");
  add("ping sent");
  EXPECT_THAT(reader->until("ping sent"), HasSubstr("ping sent"));
  reader->say(std::string(64 << 10, 'x'));
  EXPECT_THAT(reader->until("<never>"), testing::EndsWith("<end>"));
}

TEST(EventJson, HasWhatThereIs) {
  NodeEvent event{.number = 3, .unix_ns = 5, .type = NodeEvent::Type::kPeerNi, .level = 2};
  event.text = "its health is not full";
  EXPECT_EQ(json_of(event),
            "{\"number\":3,\"unix_ns\":5,\"type\":\"peer-ni\",\"level\":\"warning\","
            "\"text\":\"its health is not full\"}");
  event.nid = *Nid::parse("10.0.0.2@tcp");
  event.detail = 900;
  event.count = 4;
  event.nids = {event.nid};
  EXPECT_EQ(json_of(event),
            "{\"number\":3,\"unix_ns\":5,\"type\":\"peer-ni\",\"level\":\"warning\","
            "\"nid\":\"10.0.0.2@tcp\",\"text\":\"its health is not full\","
            "\"detail\":900,\"count\":4,\"nids\":[\"10.0.0.2@tcp\"]}");
  event.text = "\xff";
  EXPECT_THAT(json_of(event), HasSubstr("\xEF\xBF\xBD"));
}

}  // namespace
}  // namespace ulnet::node::control
