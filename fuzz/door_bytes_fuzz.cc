// Bytes on a connection to the control door: the session ends, and its answers are HTTP with
// bodies of the promised length.
#include <sys/socket.h>

#include <charconv>
#include <string>

#include "control/connection.h"
#include "control/counters.h"
#include "control/endpoints.h"
#include "control/fake_node.h"
#include "control/http_session.h"
#include "control/workers.h"
#include "input.h"

using namespace ulnet;
using namespace ulnet::node::control;

namespace {

constexpr std::size_t kInputMax = 48 << 10;  // fits into a socket without a reader

/// The door without its listener: it serves one connection, whose bytes are all written before.
class Door {
 public:
  Door() : workers_(0, [](int) {}), sessions_(context_, {}) {}
  ~Door() { workers_.stop(); }

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
  DoorCounters counters_;
  Context context_{.slot = slot_.slot, .counters = counters_, .name = "fuzz", .version = "0"};
  Workers workers_;
  HttpSessions sessions_;
};

/// Removes one answer from the front; false when there is none.
bool take_answer(std::string_view& heard) {
  if (!heard.starts_with("HTTP/1.1 ")) return false;
  const std::size_t head = heard.find("\r\n\r\n");
  if (head == std::string_view::npos) return false;
  if (heard.substr(0, head).find("text/event-stream") != std::string_view::npos) {
    heard = {};  // others send what follows, and the connection ends with it
    return true;
  }
  constexpr std::string_view kLength = "Content-Length: ";
  std::size_t length = 0;
  const std::size_t at = heard.substr(0, head).find(kLength);
  if (at != std::string_view::npos) {
    const char* digits = heard.data() + at + kLength.size();
    std::from_chars(digits, heard.data() + head, length);
  }
  if (heard.size() < head + 4) return false;
  heard.remove_prefix(head + 4);
  // The answer to HEAD promises a body but has none.
  if (heard.starts_with("HTTP/1.1 ") || heard.empty()) return true;
  if (heard.size() < length) return false;
  heard.remove_prefix(length);
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputMax) return 0;
  Door door;
  const std::string heard = door.say(fuzz::text_of(data, size));
  std::string_view left = heard;
  std::uint64_t answers = 0;
  while (!left.empty()) {
    ULNET_ASSERT(take_answer(left));
    ++answers;
  }
  ULNET_ASSERT(answers >= door.requests());
  return 0;
}
