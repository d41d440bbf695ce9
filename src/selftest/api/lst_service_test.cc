// The console of selftest behind the control API. What its commands do is tested with several nodes
// (tests/selftest/scenarios) and with daemons (tests/selftest/live).
#include "selftest/api/lst_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/fake_node_fixture.h"

namespace ulnet::node::control {
namespace {

struct LstService : testing::Test {
  /// Returns the answer's body; checks `status`.
  Json ask(const std::string& command, const std::string& body, int status) {
    Request request{.method = "POST", .path = "/v1/lst/" + command, .body = body};
    request.caller = {.access = Access::kWrite};
    const Reply reply = answer(context, request);
    EXPECT_EQ(reply.status, status) << reply.body;
    return Json::parse(reply.body);
  }

  FakeSlot slot{start_lst};
  ControlCounters counters;
  Context context{.slot = slot.slot, .counters = counters, .name = "n1", .version = "0.1.0"};
};

TEST_F(LstService, ItsFirstCommandStartsIt) {
  const Json none = ask("show_session", R"({"key": 1})", 404);
  EXPECT_EQ(none["errno"], -ESRCH);
  EXPECT_EQ(none["descr"], "No session exists");
  ASSERT_TRUE(slot.slot.unconfigure(std::chrono::seconds(0)));
  EXPECT_EQ(ask("show_session", "{}", 503)["errno"], -ENETDOWN);
}

TEST_F(LstService, CommandsNameAKeyThatTheyDoNotKnow) {  // docs/CONTROL-API.md
  for (const char* command : {"new_session", "stat"})
    EXPECT_THAT(ask(command, R"({"colour": 1})", 400)["descr"].get<std::string>(),
                testing::HasSubstr("'colour'"))
        << command;
  EXPECT_EQ(ask("colour", "{}", 501)["errno"], -ENOSYS);
}

}  // namespace
}  // namespace ulnet::node::control
