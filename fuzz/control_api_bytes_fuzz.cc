// Bytes on a connection to the control API: the session ends, and its answers are well-formed
// HTTP/1.1, each whole.
#include <sys/socket.h>

#include <string>

#include "admin/server/connection.h"
#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/fake_node_fixture.h"
#include "admin/server/http_session.h"
#include "admin/server/workers.h"
#include "http_answers.h"
#include "input.h"

using namespace ulnet;
using namespace ulnet::node::control;

namespace {

constexpr std::size_t kInputMax = 48 << 10;  // fits into a socket without a reader

/// The control API without its listener. It serves one connection, on which the client has written
/// all bytes beforehand.
class BareServer {
 public:
  BareServer() : workers_(0, [](int) {}), sessions_(context_, {}) {}
  ~BareServer() { workers_.stop(); }

  std::string say(std::string_view bytes) {
    int ends[2];
    ULNET_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    ULNET_ASSERT(::send(ends[0], bytes.data(), bytes.size(), MSG_DONTWAIT) ==
                 static_cast<ssize_t>(bytes.size()));
    ::shutdown(ends[0], SHUT_WR);
    std::string heard;
    {
      Connection connection(ends[1], workers_);
      sessions_.serve(connection, {.access = Access::kWrite, .refusal = {}});
    }
    char buffer[16 << 10];
    for (ssize_t got = 1; got > 0;) {
      got = ::recv(ends[0], buffer, sizeof buffer, MSG_DONTWAIT);
      if (got > 0) heard.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    return heard;
  }
  std::uint64_t requests() const { return counters_.requests; }

 private:
  FakeSlot slot_;
  ControlCounters counters_;
  Context context_{.slot = slot_.slot, .counters = counters_, .name = "fuzz", .version = "0"};
  Workers workers_;
  HttpSessions sessions_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputMax) return 0;
  BareServer server;
  const std::string_view said = fuzz::text_of(data, size);
  const std::string heard = server.say(said);
  // The server also refuses a request line with the word HEAD alone as it refuses a HEAD: without a
  // body.
  const fuzz::AnswersTo requests{.head = said.find("HEAD") != std::string_view::npos};
  std::string_view left = heard;
  std::uint64_t answers = 0;
  while (!left.empty()) {
    ULNET_ASSERT(fuzz::take_answer(left, requests));
    ++answers;
  }
  ULNET_ASSERT(answers >= server.requests());
  return 0;
}
