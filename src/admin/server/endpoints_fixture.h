// Fixture for tests of the control API's endpoints: requests made by hand, and a node that only
// records.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/fake_node_fixture.h"
#include "admin/server/pieces_fixture.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

class Endpoints : public testing::Test {
 protected:
  Reply ask(const char* method, const std::string& path, std::string body = {},
            Access access = Access::kWrite) {
    Request request{.method = method, .path = path, .query = query_, .body = std::move(body)};
    request.caller = {.access = access, .refusal = "not you", .who = "ulnetctl (pid 7, uid 0)"};
    Reply reply = answer(context_, request);
    if (reply.make) reply.body = whole(reply.make);
    return reply;
  }
  static Json tree(const Reply& reply) { return Json::parse(reply.body); }
  /// Expects an error of this shape.
  static void expect_error(const Reply& reply, int status, int code, const std::string& words) {
    EXPECT_EQ(reply.status, status) << reply.body;
    const Json body = tree(reply);
    EXPECT_EQ(body["errno"], code) << reply.body;
    EXPECT_THAT(body["descr"].get<std::string>(), testing::HasSubstr(words));
  }
  /// Returns how a change ended: "0" or "-22 words".
  static std::string outcome_of(const Reply& reply) {
    if (reply.status == 200) return "0";
    const Json body = tree(reply);
    return body["errno"].dump() + " " + body["descr"].get<std::string>();
  }
  FakeNode& node() { return *slot_.fake; }

  FakeSlot slot_;
  ControlCounters counters_;
  Context context_{.slot = slot_.slot,
                   .counters = counters_,
                   .name = "n1",
                   .version = "0.1.0",
                   .log = [this](int level, const std::string& line) {
                     logged_.push_back(std::to_string(level) + " " + line);
                   }};
  std::vector<std::string> logged_;  ///< level and line
  std::vector<std::pair<std::string, std::string>> query_;
};

}  // namespace ulnet::node::control
