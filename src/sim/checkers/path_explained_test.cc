// Lies about requests that take other paths than those that were explained.
#include "sim/checkers/path_explained.h"

#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

struct ExplainedChecker : TwoNets<PathExplained> {
  /// A PUT to the peer leaves like that.
  void puts(const Nid& by, const Nid& hop) {
    core::call::Put put;
    put.request.md = {77};
    put.request.target.nid = tcp(8);
    put.request.portal = {5};
    put.request.self = Nid::any();
    core::ApiCall call{put};
    core::Letter letter{core::letter::Transmit{}};
    auto& transmit = std::get<core::letter::Transmit>(letter.body);
    transmit.md = {77};
    transmit.path.ni = ni(by).config.id;
    transmit.path.hop.nid = hop;
    core::Actions actions;
    actions.emplace_back(core::SendMail{1, &letter});
    step(core::Api{&call}, actions);
  }
};

TEST_F(ExplainedChecker, SeesAnotherNid) {
  ni(tcp(1, 1)).net->sequence = 1;
  puts(tcp(1), tcp(8));
  EXPECT_EQ(said(), "");
  puts(tcp(1, 1), tcp(9, 1));
  EXPECT_EQ(said(),
            "a request to 10.0.0.8@tcp goes to 10.0.0.9@tcp1; explained: 10.0.0.1@tcp to "
            "10.0.0.8@tcp");
}

TEST_F(ExplainedChecker, SeesAnotherNi) {
  ni(tcp(1, 1)).net->sequence = 1;
  puts(tcp(1, 1), tcp(8));
  EXPECT_THAT(said(), HasSubstr("leaves by 10.0.0.1@tcp1"));
}

}  // namespace
}  // namespace ulnet::sim
