// A program that follows a node's events, against a real control API with a node that only records.
#include "admin/client/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>

#include "admin/server/control_server.h"
#include "admin/server/fake_node_fixture.h"
#include "admin/server/limits.h"

namespace ulnet::ctl {
namespace {

using node::NodeEvent;
using Kind = StreamEvent::Kind;

struct EventStreamTest : testing::Test {
  EventStreamTest() {
    std::string name = testing::TempDir() + "/events.XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    open();
  }
  ~EventStreamTest() override {
    api.reset();
    std::filesystem::remove_all(folder);
  }
  void open() {
    auto opened = node::control::ControlServer::open(
        {.path = folder + "/n.sock", .tcp_port = 0, .tcp_reads = true}, slot.slot);
    ASSERT_TRUE(opened) << opened.error().reason;
    api = std::move(*opened);
  }
  EventStreamOptions options() const { return {.api = folder + "/n.sock"}; }
  void add(const char* text, NodeEvent::Type type = NodeEvent::Type::kNi) {
    slot.fake->happened->add({.type = type, .text = text});
  }
  /// What follow() delivers until `last` has come: texts, "gap", "end".
  static std::vector<std::string> hear(EventStream& stream, const std::string& last,
                                       Result<void>* ended = nullptr) {
    std::vector<std::string> heard;
    const auto result = stream.follow([&](const StreamEvent& event) {
      heard.push_back(event.kind == Kind::kGap   ? "gap"
                      : event.kind == Kind::kEnd ? "end"
                                                 : event.tree["text"].get<std::string>());
      return heard.back() != last;
    });
    if (ended != nullptr) *ended = result;
    return heard;
  }

  std::string folder;
  node::control::FakeSlot slot;
  std::unique_ptr<node::control::ControlServer> api;
};

TEST_F(EventStreamTest, HearsWhatCameAfterAnEventAndWhatComes) {
  add("one");
  add("two");
  EventStreamOptions from_two = options();
  from_two.after = "1";
  EventStream stream(from_two);
  std::vector<std::string> heard;
  std::string id;
  const auto done = stream.follow([&](const StreamEvent& event) {
    id = event.id;
    heard.push_back(event.tree["text"]);
    if (heard.back() == "two") add("three");
    return heard.back() != "three";
  });
  EXPECT_TRUE(done) << done.error().reason;
  EXPECT_THAT(heard, testing::ElementsAre("two", "three"));
  // A new stream can continue from that id.
  EventStreamOptions on = options();
  on.after = id;
  add("four");
  EventStream next(on);
  EXPECT_THAT(hear(next, "four"), testing::ElementsAre("four"));
}

TEST_F(EventStreamTest, HearsOverTcpAndOfTheTypesAskedFor) {
  EventStream stream(
      {.api = "127.0.0.1:" + std::to_string(api->tcp_port()), .types = "route,peer", .after = "0"});
  add("is down");
  add("cannot be used", NodeEvent::Type::kRoute);
  EXPECT_THAT(hear(stream, "cannot be used"), testing::ElementsAre("cannot be used"));
}

TEST_F(EventStreamTest, GetsEventsForAGapAndForTheEnd) {
  EventStreamOptions late = options();
  late.after = "17-4";  // an id of an earlier incarnation of the node
  EventStream stream(late);
  add("one");
  slot.fake->happened->end();
  Result<void> ended = fail(-EIO);
  EXPECT_THAT(hear(stream, "", &ended), testing::ElementsAre("gap", "one", "end"));
  EXPECT_TRUE(ended);
}

TEST_F(EventStreamTest, IsStoppedFromElsewhere) {
  add("one");
  EventStreamOptions all = options();
  all.after = "0";
  EventStream stream(all);
  std::promise<void> begun;
  auto ended = std::async(std::launch::async, [&] {
    return stream.follow([&](const StreamEvent&) { return begun.set_value(), true; });
  });
  begun.get_future().wait();
  stream.stop();
  EXPECT_TRUE(ended.get());
  // A stream that was stopped before it began does not begin.
  EventStream never(all);
  never.stop();
  EXPECT_TRUE(never.follow([](const StreamEvent&) { return ADD_FAILURE(), true; }));
}

TEST_F(EventStreamTest, SaysWhyItEnds) {
  EventStreamOptions wrong = options();
  wrong.types = "nis";
  Result<void> ended;
  EventStream refused(wrong);
  hear(refused, "", &ended);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, -EINVAL);
  EXPECT_EQ(ended.error().reason, "'nis' is not a type of event");
  // a control API that closes
  EventStreamOptions all = options();
  all.after = "0";
  add("one");
  EventStream stream(all);
  const auto closed = stream.follow([&](const StreamEvent&) { return api.reset(), true; });
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, -ECONNRESET);
  // a control API that does not exist
  EventStream nobody(all);
  hear(nobody, "", &ended);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, -ECONNREFUSED);
}

TEST_F(EventStreamTest, TheNinthIsRefused) {
  add("one");
  EventStreamOptions all = options();
  all.after = "0";
  std::vector<std::unique_ptr<EventStream>> streams;
  std::vector<std::future<Result<void>>> ends;
  for (std::size_t i = 0; i < node::control::limits::kEventStreams; ++i) {
    std::promise<void> begun;
    streams.push_back(std::make_unique<EventStream>(all));
    ends.push_back(std::async(std::launch::async, [stream = streams.back().get(), &begun] {
      bool first = true;
      return stream->follow([&](const StreamEvent&) {
        if (std::exchange(first, false)) begun.set_value();
        return true;
      });
    }));
    begun.get_future().wait();
  }
  EventStream more(all);
  Result<void> ended;
  hear(more, "", &ended);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, -EBUSY);
  for (const auto& stream : streams) stream->stop();
  for (auto& end : ends) EXPECT_TRUE(end.get());
}

}  // namespace
}  // namespace ulnet::ctl
