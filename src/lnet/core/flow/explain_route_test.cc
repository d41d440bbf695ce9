// `debug path` of a NID behind routers: it shows the route that the next message takes.
// spec/multirail.md 3.3.
#include <gmock/gmock.h>

#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {
namespace {

std::vector<std::string> routes_in(const Explanation& why) {
  std::vector<std::string> all;
  for (const Candidate& one : why.candidates)
    if (one.kind == Candidate::Kind::kRoute)
      all.push_back(one.nid.to_string() +
                    (one.chosen ? " chosen" : std::string(" ") + to_string(one.lost_by)));
  return all;
}

TEST(ExplainPath, BehindRoutersItIsTheRouteOfTheNextMessage) {
  Routed p;
  p.route(p.a, kFar, tcp(4), kHopsUndefined, 1);
  p.a.hold_sends = true;
  std::vector<std::byte> memory = bytes(8);
  const auto shown = p.call(p.a, call::ExplainPath{tcp(2, 1), {}, p.a.caller});
  EXPECT_EQ(shown.path_status, 0) << shown.path_reason;
  EXPECT_STREQ(shown.why.way, "its net is behind routers: the best route that is up");
  EXPECT_EQ(shown.hop, tcp(3));
  EXPECT_EQ(shown.source, tcp(1));
  EXPECT_THAT(routes_in(shown.why),
              testing::ElementsAre("10.0.0.3@tcp chosen",
                                   std::string("10.0.0.4@tcp ") + to_string(Term::kPriority)));
  EXPECT_EQ(p.call(p.a, call::ExplainPath{tcp(2, 2), {}}).path_status, -EHOSTUNREACH)
      << "a net to which no route leads";
}

}  // namespace
}  // namespace ulnet::core::test
