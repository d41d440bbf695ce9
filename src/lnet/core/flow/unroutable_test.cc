#include "lnet/core/flow/unroutable.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The log notes about drops, once a minute.
std::vector<std::string> logged_drops(const End& end) {
  std::vector<std::string> texts;
  for (const Note& note : end.notes)
    if (note.about == Note::About::kDrop) texts.push_back(to_string(note));
  return texts;
}

TEST(Unroutable, TheLogHasAnAnswerWithoutARoute) {
  Routed p;
  auto source = bytes(100), sink = bytes(100);
  p.attach(p.b, sink, nullptr, {.options = kOpPut | kManageRemote});
  p.b.config->routes = RouteList::none();
  p.configure(p.b);
  const auto puts = [&] {
    for (int i = 0; i < 3; ++i)
      p.put(p.a, p.bind(p.a, source, nullptr, 2), tcp(2, 1), AckRequest::kAck);
  };
  puts();
  EXPECT_THAT(logged_drops(p.b),
              ElementsAre("Unable to send an answer to 10.0.0.1@tcp: no route to tcp can be used. "
                          "Route table may be misconfigured: see 'ulnetctl debug path --to "
                          "10.0.0.1@tcp'"));
  p.now += DropNotes::kQuiet;
  puts();
  EXPECT_EQ(logged_drops(p.b).size(), 2U);
  EXPECT_THAT(logged_drops(p.a), IsEmpty());
}

// spec/observed-routing.md 2.1: the node that lacks the route logs it.
TEST(Unroutable, TheLogOfARouterHasAMessageWithoutARoute) {
  Routed p;
  auto source = bytes(100);
  p.route(p.a, {NetType::kTcp, 7}, tcp(3));
  for (int i = 0; i < 3; ++i) p.put(p.a, p.bind(p.a, source, nullptr, 1), tcp(9, 7));
  EXPECT_THAT(logged_drops(p.r),
              ElementsAre("Unable to forward a message to 10.0.0.9@tcp7: no route to tcp7 can be "
                          "used. Route table may be misconfigured: see 'ulnetctl debug path --to "
                          "10.0.0.9@tcp7'"));
  EXPECT_THAT(logged_drops(p.a), IsEmpty()) << "the event notifies the sender";
}

// spec/observed-routing.md 4.1.2
TEST(Unroutable, TheLogHasAsymmetricRoutes) {
  Routed p;
  auto source = bytes(100);
  p.b.config->globals.drop_asym_route = 1;
  p.b.config->routes = RouteList::none();
  p.configure(p.b);
  for (int i = 0; i < 3; ++i) p.put(p.a, p.bind(p.a, source, nullptr, 1), tcp(2, 1));
  EXPECT_EQ(p.dropped(p.b, DropReason::kAsymmetricRoute), 3U);
  EXPECT_THAT(logged_drops(p.b),
              ElementsAre("Dropping asymmetrical route: a message from 10.0.0.1@tcp came by "
                          "10.0.0.3@tcp1, which is no gateway to tcp here, and drop_asym_route is "
                          "on: see 'ulnetctl route show -v --net tcp'"));
}

}  // namespace
}  // namespace ulnet::core::test
