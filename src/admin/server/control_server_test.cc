// The control API on real sockets: HTTP on a Unix socket in a folder that only this test uses, with
// a FakeNode behind it.
#include "admin/server/control_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>

#include "admin/server/fake_node_fixture.h"
#include "admin/server/limits.h"
#include "admin/server/reply.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::node::control {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

/// A client that sends and receives raw bytes.
class RawClient {
 public:
  explicit RawClient(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Sends the text. Returns false once the other side has closed.
  bool say(std::string_view text) {
    while (!text.empty()) {
      const auto sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void say_no_more() { ::shutdown(socket_, SHUT_WR); }
  /// Returns everything received until the other side closes. If nothing comes for 20 s the text
  /// ends with "<stuck>".
  std::string hear_all() {
    std::string heard;
    char buffer[4096];
    for (;;) {
      pollfd polled{socket_, POLLIN, 0};
      if (::poll(&polled, 1, 20'000) <= 0) return heard + "<stuck>";
      const auto got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) return heard;
      heard.append(buffer, static_cast<std::size_t>(got));
    }
  }

 private:
  int socket_;
};

/// The log lines of the server's threads, with their levels.
class Lines {
 public:
  void add(int level, const std::string& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(std::to_string(level) + " " + line);
  }
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class ControlServerTest : public testing::Test {
 protected:
  ControlServerTest() {
    options_.log = [this](int level, const std::string& line) { log_.add(level, line); };
    options_.path = folder_ + "/n.sock";
    options_.version = "0.1.0";
    options_.tcp_port = 0;
  }
  ~ControlServerTest() override { server_.reset(); }
  void SetUp() override {
    auto opened = ControlServer::open(options_, slot_.slot);
    ASSERT_TRUE(opened) << opened.error().reason;
    server_ = std::move(*opened);
  }
  httplib::Client client() {
    httplib::Client made(options_.path, 80);
    made.set_address_family(AF_UNIX);
    made.set_keep_alive(true);
    made.set_read_timeout(20);
    return made;
  }
  std::string raw(std::string_view bytes) {
    RawClient raw_client(options_.path);
    raw_client.say(bytes);
    raw_client.say_no_more();
    return raw_client.hear_all();
  }
  void expect_still_answering() {
    auto http = client();
    const auto reply = http.Get("/v1/version");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
  }

  const TempFolder temp_;
  const std::string folder_ = temp_.path();
  ControlServerOptions options_;
  Lines log_;
  FakeSlot slot_;
  std::unique_ptr<ControlServer> server_;
};

TEST_F(ControlServerTest, AnswersOverTheUnixSocket) {
  auto http = client();
  const auto reply = http.Get("/v1/net?net=tcp");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(Json::parse(reply->body)["net"][0]["net type"], "tcp");
}

TEST_F(ControlServerTest, SaysInSecondsHowLongAnIdleConnectionIsKept) {
  auto http = client();
  const auto reply = http.Get("/v1/version");
  ASSERT_TRUE(reply);
  const auto kept = std::chrono::duration_cast<std::chrono::seconds>(limits::kIdleTime).count();
  EXPECT_THAT(reply->get_header_value("Keep-Alive"),
              StartsWith("timeout=" + std::to_string(kept) + ","));
}

TEST_F(ControlServerTest, LogsWhoChangesSomething) {
  auto http = client();
  ASSERT_EQ(http.Delete("/v1/stats")->status, 200);
  EXPECT_THAT(log_.lines(),
              testing::Contains(MatchesRegex("1 stats reset: done, asked by .+ \\(pid " +
                                             std::to_string(::getpid()) + ", uid [0-9]+\\)")));
}

TEST_F(ControlServerTest, TheSocketIsForOwnerAndGroup) {
  struct stat file {};
  ASSERT_EQ(::stat(options_.path.c_str(), &file), 0);
  EXPECT_TRUE(S_ISSOCK(file.st_mode));
  EXPECT_EQ(file.st_mode & 0777, 0660U);
}

TEST_F(ControlServerTest, TheServerRemovesItsSocket) {
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(options_.path));
}

TEST_F(ControlServerTest, AStaleSocketFileIsReplaced) {
  // given: the socket file of a server whose process has died
  server_.reset();
  const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  options_.path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(dead);
  SetUp();
  expect_still_answering();
}

TEST_F(ControlServerTest, AnImpossibleSocketPathIsExplained) {
  ControlServerOptions nowhere = options_;
  nowhere.path = folder_ + "/no/such/folder.sock";
  const auto refused = ControlServer::open(nowhere, slot_.slot);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -ENOENT);
  EXPECT_THAT(refused.error().reason, HasSubstr(nowhere.path));
  nowhere.path = folder_ + "/" + std::string(200, 'x');
  EXPECT_EQ(ControlServer::open(nowhere, slot_.slot).error().code, -ENAMETOOLONG);
}

TEST_F(ControlServerTest, ATakenPortIsExplained) {
  ControlServerOptions second = options_;
  second.path = folder_ + "/second.sock";
  second.tcp_port = server_->tcp_port();
  const auto refused = ControlServer::open(second, slot_.slot);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -EADDRINUSE);
  EXPECT_FALSE(std::filesystem::exists(second.path));
}

TEST_F(ControlServerTest, OneConnectionCarriesAnImportOfFiveHundredNets) {
  auto http = client();
  for (int i = 0; i < 500; ++i) {
    const auto reply =
        http.Post("/v1/net", R"({"net": "tcp)" + std::to_string(i) + R"(", "interface": "e"})",
                  "application/json");
    ASSERT_TRUE(reply) << i;
    ASSERT_EQ(reply->status, 200) << reply->body;
  }
  EXPECT_EQ(slot_.fake->recorded().size(), 500U);
  EXPECT_THAT(client().Get("/metrics")->body, HasSubstr("ulnet_door_connections_total 2\n"));
}

TEST_F(ControlServerTest, TheTcpPortHasTheMetricsUnlessMoreIsAskedFor) {
  httplib::Client http("127.0.0.1", server_->tcp_port());
  EXPECT_EQ(http.Get("/healthz")->body, "ok\n");
  EXPECT_THAT(http.Get("/metrics")->body, HasSubstr("ulnet_up 1\n"));
  for (const char* path : {"/v1/version", "/v1/peer", "/v1/file/stats"}) {
    const auto refused = http.Get(path);
    EXPECT_EQ(refused->status, 403) << path;
    EXPECT_THAT(refused->body, HasSubstr("--metrics-api")) << path;
  }
  EXPECT_EQ(http.Post("/v1/lnet", "{}", "application/json")->status, 403);
}

TEST_F(ControlServerTest, TheTcpPortThatReadsOnlyShows) {
  server_.reset();
  options_.tcp_reads = true;
  SetUp();
  httplib::Client http("127.0.0.1", server_->tcp_port());
  EXPECT_EQ(http.Get("/healthz")->body, "ok\n");
  EXPECT_THAT(http.Get("/metrics")->body, HasSubstr("ulnet_up 1\n"));
  EXPECT_EQ(http.Get("/v1/net")->status, 200);
  const auto refused =
      http.Post("/v1/net", R"({"net": "tcp", "interface": "e"})", "application/json");
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(refused->body, HasSubstr("read-only"));
  // a caller that must not change anything must not send a long body
  EXPECT_EQ(http.Post("/v1/net", std::string(65U << 10, ' '), "application/json")->status, 413);
  // a browser that was tricked into calling 127.0.0.1 by another name is refused
  for (const char* name : {"evil.example", "127.evil.example", "127.0.0.1.evil.example", "[::1].x"})
    EXPECT_EQ(http.Get("/v1/net", {{"Host", name}})->status, 403) << name;
  EXPECT_EQ(http.Get("/v1/net", {{"Host", "LOCALHOST"}})->status, 200);
  EXPECT_TRUE(slot_.fake->recorded().empty());
}

/// Adds more peers than fit into one piece, or into a socket's buffer.
void add_peers(FakeNode& node, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    core::PeerShow& peer = node.peers.emplace_back();
    peer.primary =
        Nid::parse("10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1) + "@tcp")
            .value();
    peer.nis.emplace_back().nid = peer.primary;
  }
}

TEST_F(ControlServerTest, ALongListComesInPieces) {
  add_peers(*slot_.fake, 1000);
  auto http = client();
  const auto reply = http.Get("/v1/peer");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->get_header_value("Transfer-Encoding"), "chunked");
  EXPECT_EQ(Json::parse(reply->body)["peer"].size(), 1000U);
  EXPECT_TRUE(http.Head("/v1/peer")->body.empty());
  EXPECT_EQ(http.Get("/v1/version")->status, 200) << "the connection stays";
  EXPECT_THAT(client().Get("/metrics")->body, HasSubstr("ulnet_door_connections_total 2\n"));
  EXPECT_EQ(slot_.fake->budget.used(MemoryPart::kControl), 0U) << "all was given back";
}

TEST_F(ControlServerTest, AClientOfHttp10GetsNoChunks) {
  add_peers(*slot_.fake, 100);
  const std::string heard = raw("GET /v1/peer HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
  EXPECT_THAT(heard, testing::Not(HasSubstr("chunked")));
  const std::size_t body = heard.find("\r\n\r\n");
  ASSERT_NE(body, std::string::npos);
  EXPECT_EQ(Json::parse(heard.substr(body + 4))["peer"].size(), 100U);
}

TEST_F(ControlServerTest, AClientThatGoesAmidAListLeavesNothing) {
  add_peers(*slot_.fake, 2000);
  { RawClient(options_.path).say("GET /v1/peer HTTP/1.1\r\n\r\n"); }
  server_.reset();  // waits for the requests under way
  EXPECT_EQ(slot_.fake->budget.used(MemoryPart::kControl), 0U);
}

TEST_F(ControlServerTest, HeadHasNoBody) {
  auto http = client();
  const auto reply = http.Head("/v1/version");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_TRUE(reply->body.empty());
  expect_still_answering();
}

TEST_F(ControlServerTest, GarbageIsAnsweredOrClosed) {
  EXPECT_THAT(raw("not http at all\r\n\r\n"), HasSubstr("not an HTTP request"));
  EXPECT_THAT(raw(std::string(3, '\0') + "\xff\xfe\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(raw(""), "");
  raw("GET");
  raw("GET /v1/net HTTP/1.1\r\nHost");
  raw(std::string(1000, '\n'));
  raw("GET / HTTP/9.9\r\n\r\n");
  EXPECT_THAT(raw("GET /v1/net?net=%ff%fe HTTP/1.1\r\n\r\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(raw("GET /%00%01 HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(raw("GET /" + std::string(5000, 'a') + " HTTP/1.1\r\n\r\n"),
              StartsWith("HTTP/1.1 414"));
  EXPECT_THAT(raw("GET /v1/version HTTP/1.1\r\nRange: bytes=9-2,1-,-\r\n\r\n"),
              StartsWith("HTTP/1.1"));
  expect_still_answering();
}

TEST_F(ControlServerTest, AMalformedHeaderIsRefused) {
  const std::string get = "GET /v1/version HTTP/1.1\r\n";
  const std::string next = get + "\r\n";
  for (const char* header : {"X: \x1c",
                             "X: a\x7f"
                             "b",
                             "X: a\rb", "X: a\nY: b", "no colon", "Content-Length 2",
                             "Content-Length : 2", " folded", ": no name"}) {
    const std::string heard = raw(get + "A: b\r\n" + header + "\r\n\r\n" + next);
    EXPECT_THAT(heard, StartsWith("HTTP/1.1 400")) << header;
    EXPECT_THAT(heard, HasSubstr("a header is not")) << header;
    EXPECT_EQ(heard.find("HTTP/1.1", 1), std::string::npos)
        << "the server does not read the rest as a request";
  }
  EXPECT_THAT(raw(get + "X: \xc3\xa4\t\"%7f\"\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  expect_still_answering();
}

TEST_F(ControlServerTest, OversizedRequestsAreRefused) {
  // a request line or headers without end
  RawClient endless(options_.path);
  const std::string much(limits::kHeadBytes, 'x');
  endless.say("GET /");
  while (endless.say(much)) {
  }
  endless.hear_all();
  std::string headers = "GET /v1/version HTTP/1.1\r\n";
  for (int i = 0; i < 4000; ++i) headers += "X-" + std::to_string(i) + ": y\r\n";
  raw(headers + "\r\n");
  // bodies
  const std::string post = "POST /v1/net HTTP/1.1\r\n";
  EXPECT_THAT(raw(post + "Content-Length: 1048577\r\n\r\n"), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(raw(post + "Content-Length: 99999999999999999999\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(raw(post + "Content-Length: -1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(raw(post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(raw(post + "Content-Length: 10\r\n\r\n{}"),
              HasSubstr("shorter than its Content-Length"));
  EXPECT_THAT(raw(post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 411"));
  EXPECT_THAT(raw(post + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"),
              StartsWith("HTTP/1.1 415"));
  // A batch may be long, but not endless.
  EXPECT_THAT(raw("POST /v1/batch HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  auto http = client();
  const std::string padding(2 << 20, ' ');
  const auto batch =
      http.Post("/v1/batch", "{\"requests\": []" + padding + "}", "application/json");
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->body, "{\"answers\": []}\n");
  const auto deep = http.Post("/v1/net", std::string(1 << 20, '['), "application/json");
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->status, 400);
  EXPECT_THAT(slot_.fake->recorded(), testing::ElementsAre("together {", "}"));
  expect_still_answering();
}

TEST_F(ControlServerTest, ALongBodyWaitsForTheMemoryBudget) {
  auto http = client();
  const std::string batch = R"({"requests": []})" + std::string(1 << 20, ' ');
  slot_.fake->budget.set(32U << 20);  // the control API's share is 4 MiB
  const auto refused = http.Post("/v1/batch", batch, "application/json");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(refused->get_header_value("Retry-After"), "1");
  EXPECT_EQ(Json::parse(refused->body)["errno"], -ENOMEM);
  EXPECT_NE(refused->get_header_value("Connection"), "close")
      << "the server read the body to its end";
  const std::string small = R"({"requests": []})" + std::string(60 << 10, ' ');
  EXPECT_EQ(http.Post("/v1/batch", small, "application/json")->status, 200);
  slot_.fake->budget.set(65U << 20);
  EXPECT_EQ(http.Post("/v1/batch", batch, "application/json")->status, 200);
  http.stop();
  server_.reset();
  EXPECT_EQ(slot_.fake->budget.used(MemoryPart::kControl), 0U);
  EXPECT_THAT(log_.lines(), testing::Contains(HasSubstr("2 a long request failed: there is no")));
}

TEST_F(ControlServerTest, WithoutMemoryARequestIsRefused) {
  slot_.fake->no_memory = true;
  auto http = client();
  const auto failed = http.Delete("/v1/stats");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->status, 503);
  EXPECT_EQ(failed->get_header_value("Retry-After"), "1");
  EXPECT_EQ(Json::parse(failed->body)["errno"], -ENOMEM);
  EXPECT_THAT(log_.lines(),
              testing::Contains(HasSubstr("2 a request failed: there is no memory or no thread")));
  EXPECT_THAT(http.Get("/metrics")->body, HasSubstr("ulnet_door_no_memory_total 1\n"));
}

TEST_F(ControlServerTest, ARefusedBodyIsNotTakenForTheNextRequest) {
  // given: a body, not read, that looks like a request
  const std::string inner = "DELETE /v1/stats HTTP/1.1\r\n\r\n";
  const std::string heard =
      raw("POST /v1/net HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + inner);
  EXPECT_EQ(heard.find("HTTP/1.1", 1), std::string::npos) << heard;
  EXPECT_TRUE(slot_.fake->recorded().empty());
}

TEST_F(ControlServerTest, ExpectContinueIsAnswered) {
  const std::string head = "PATCH /v1/global HTTP/1.1\r\nExpect: 100-continue\r\n";
  const std::string heard = raw(head + "Content-Length: 15\r\n\r\n{\"discovery\":1}");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"));
  EXPECT_THAT(raw(head + "Content-Length: 9999999\r\n\r\n"), StartsWith("HTTP/1.1 413"));
}

TEST_F(ControlServerTest, RequestsMayComeInOneWrite) {
  const std::string heard =
      raw("GET /v1/version HTTP/1.1\r\n\r\nDELETE /v1/stats HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
          "GET /v1/nids HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(heard, HasSubstr("\"nids\""));
  EXPECT_EQ(slot_.fake->recorded().size(), 1U);
}

TEST_F(ControlServerTest, SilentClientsDoNotHoldUpOthers) {
  // given: more connections than there are threads, some silent, some in mid-request
  std::vector<std::unique_ptr<RawClient>> silent;
  for (std::size_t i = 0; i < limits::kThreads * 2; ++i) {
    silent.push_back(std::make_unique<RawClient>(options_.path));
    if (i % 2 == 0) silent.back()->say("POST /v1/net HTTP/1.1\r\nContent-Length: 5\r\n\r\n{");
  }
  // then: a new client is answered
  expect_still_answering();
}

TEST_F(ControlServerTest, TwoHundredClientsAtOnceAreAllAnswered) {
  std::vector<std::future<int>> statuses;
  for (int i = 0; i < 200; ++i)
    statuses.push_back(std::async(std::launch::async, [this] {
      auto http = client();
      const auto reply = http.Get("/v1/net");
      return reply ? reply->status : -1;
    }));
  for (auto& status : statuses) EXPECT_EQ(status.get(), 200);
}

TEST_F(ControlServerTest, ClosingEndsIdleConnectionsAtOnce) {
  RawClient idle(options_.path);
  auto http = client();
  ASSERT_TRUE(http.Get("/v1/version"));
  server_.reset();
  EXPECT_EQ(idle.hear_all(), "");
}

TEST_F(ControlServerTest, ClosingWaitsForTheRequestUnderWay) {
  std::promise<void> pinging;
  std::promise<void> enough;
  auto let_go = enough.get_future().share();
  slot_.fake->on_ping = [&](const PingRequest&) -> Result<PingReply> {
    pinging.set_value();
    let_go.wait();
    return fail(-ESHUTDOWN);
  };
  auto answered = std::async(std::launch::async, [this] {
    auto http = client();
    const auto reply = http.Post("/v1/ping", R"({"nids": ["10.0.0.1@tcp"]})", "application/json");
    return reply ? reply->body : "no answer";
  });
  pinging.get_future().wait();
  auto closed = std::async(std::launch::async, [this] { server_.reset(); });
  enough.set_value();
  closed.wait();
  EXPECT_THAT(answered.get(), HasSubstr("-108"));
}

}  // namespace
}  // namespace ulnet::node::control
