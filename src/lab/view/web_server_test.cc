// The page's server while its only node is absent; tests/lab/live/lab_view_test.py has nodes.
#include "lab/view/web_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include "lab/topology/topology_fixture.h"

namespace ulnet::tools::lab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct WebServerTest : testing::Test {
  void SetUp() override {
    auto started = WebServer::start(page);
    ASSERT_TRUE(started) << started.error().reason;
    server = std::move(*started);
    const std::string address = server->address();
    const std::size_t query = address.find("/?");
    host = address.substr(7, query - 7);
    path = address.substr(query);
    cookie = "ulnet_lab" + host.substr(host.find(':') + 1) + path.substr(path.find('='));
  }
  httplib::Client client() const { return httplib::Client("http://" + host); }
  httplib::Headers mine() const { return {{"Cookie", cookie}}; }

  const Topology topology = topology_of("nodes:\n  absent: {nets: tcp}\n");
  const Observer observer{{{.name = "absent", .socket = "/nowhere/absent.sock"}}};
  WebPage page{.topology = topology, .observer = observer, .watched = {}, .title = "nobody"};
  std::unique_ptr<WebServer> server;
  std::string host, path, cookie;
};

TEST_F(WebServerTest, TheAddressOpensThePageAndSetsTheCookie) {
  const auto reply = client().Get(path);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(reply->get_header_value("Set-Cookie"), cookie + "; SameSite=Strict; HttpOnly; Path=/");
  EXPECT_EQ(reply->get_header_value("Cache-Control"), "no-store");
  EXPECT_EQ(reply->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(reply->get_header_value("X-Frame-Options"), "DENY");
  EXPECT_EQ(reply->get_header_value("Content-Security-Policy"),
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
            "connect-src 'self'; form-action 'none'; base-uri 'none'");
}

TEST_F(WebServerTest, OthersAreRefused) {
  const auto reply = client().Get("/");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 403);
  EXPECT_EQ(reply->get_header_value("Content-Type"), "text/plain");
  EXPECT_EQ(reply->get_header_value("X-Frame-Options"), "DENY");
  EXPECT_FALSE(reply->has_header("Set-Cookie"));
  httplib::Headers elsewhere = mine();
  elsewhere.emplace("Host", "evil.example");
  EXPECT_EQ(client().Get("/api/state", elsewhere)->status, 403);
  EXPECT_EQ(client().Get("/api/state", mine())->status, 200);
}

TEST_F(WebServerTest, RequestsAreAnsweredWithJson) {
  const auto layout = client().Get("/api/layout", mine());
  EXPECT_EQ(layout->get_header_value("Content-Type"), "application/json");
  EXPECT_THAT(layout->body, HasSubstr(R"("title":"nobody","changes":false)"));
  const auto nothing = client().Get("/api/nothing", mine());
  EXPECT_EQ(nothing->status, 404);
  EXPECT_THAT(nothing->body, StartsWith(R"({"error":)"));
  EXPECT_EQ(client().Post("/api/change", mine(), "{}", "application/json")->status, 403);
  const std::string long_body(4097, ' ');
  EXPECT_EQ(client().Post("/api/change", mine(), long_body, "application/json")->status, 413);
}

TEST_F(WebServerTest, AStreamBeginsWithTheState) {
  std::string heard;
  httplib::Headers head;
  EXPECT_FALSE(client().Get(
      "/api/stream", mine(),
      [&](const httplib::Response& reply) {
        head = reply.headers;
        return true;
      },
      [&](const char* data, std::size_t size) {
        heard.append(data, size);
        return heard.find("\n\n") == std::string::npos;
      }));
  EXPECT_EQ(head.find("Content-Type")->second, "text/event-stream");
  EXPECT_THAT(heard, StartsWith("event: state\ndata: {\"nodes\":[{\"name\":\"absent\","));
}

}  // namespace
}  // namespace ulnet::tools::lab
