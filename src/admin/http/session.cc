#include "admin/http/session.h"

#include <fcntl.h>
#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "admin/conf/yaml_in.h"
#include "admin/http/head_lines.h"
#include "admin/http/host_header.h"
#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/limits.h"
#include "admin/server/pieces.h"
#include "admin/server/reply.h"
#include "lnet/base/text.h"

namespace ulnet::node::control {

namespace {

/// A Connection as httplib's stream. httplib reads only the heads of requests from it.
class ConnectionStream : public httplib::Stream {
 public:
  ConnectionStream(Connection& connection, HeadLines& head)
      : connection_(connection), head_(head) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const auto got = connection_.read(to, size);
    if (got > 0) head_.take({to, static_cast<std::size_t>(got)});
    return got;
  }
  ssize_t write(const char* from, std::size_t size) override {
    return connection_.write(from, size) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return connection_.descriptor(); }

 private:
  Connection& connection_;
  HeadLines& head_;
};

/// The memory that a long body and its parsed form take from the node's budget.
struct BodyMemory {
  std::shared_ptr<Node> node;
  MemoryTaken taken{node->memory(), MemoryPart::kControl};
};

/// One request on its way through httplib, on the thread that serves its connection.
struct Exchange {
  Connection& connection;
  const Caller& caller;
  HeadLines head;
  Request request;
  std::optional<BodyMemory> body_memory;
  std::optional<Reply> refusal;  ///< chosen before a handler gets the request
  bool parsed = false;           ///< httplib understood the request's head
  bool last = false;             ///< the connection ends with this answer
  bool close = false;            ///< the body was not read: the next request cannot be found
  bool head_only = false;        ///< the answer must have no body
  std::function<void(int)> hand_over = {};  ///< as Reply::hand_over
};

thread_local Exchange* current = nullptr;

Result<std::size_t> content_length(const httplib::Request& http) {
  if (http.get_header_value_count("Content-Length") == 0) return 0;
  const std::string text = http.get_header_value("Content-Length");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  const bool clean = error == std::errc() && end == text.data() + text.size();
  if (!clean || http.get_header_value_count("Content-Length") != 1)
    return fail(-EINVAL, "Content-Length is not a number");
  return length;
}

/// Returns the refusal of a request that its head alone makes impossible to answer; nothing for any
/// other request. The body of such a request is not read, and the connection ends.
std::optional<Reply> refuse_head(const httplib::Request& http, const HttpSessions::Rules& rules,
                                 const Exchange& exchange) {
  if (exchange.head.malformed())
    return reply_error(400, -EINVAL, "a header is not a name, a colon and a value in plain text");
  const bool one_host = http.get_header_value_count("Host") == 1;
  if (rules.loopback_host_only && !(one_host && names_loopback(http.get_header_value("Host"))))
    return reply_error(403, -EACCES, "this port answers to loopback names only");
  if (http.has_header("Transfer-Encoding"))
    return reply_error(411, -EINVAL, "a body must come with its Content-Length");
  if (http.has_header("Content-Encoding"))
    return reply_error(415, -EINVAL, "a body must not be encoded");
  if (http.path.size() > limits::kPathBytes)
    return reply_error(414, -ENAMETOOLONG, "the path is too long");
  const auto length = content_length(http);
  if (!length) return reply_error(length.error());
  const bool writes = exchange.caller.access == Access::kWrite;
  const std::size_t most = !writes                   ? limits::kFreeBodyBytes
                           : http.path == kBatchPath ? limits::kBatchBytes
                                                     : limits::kBodyBytes;
  if (*length > most)
    return reply_error(413, -E2BIG,
                       "the body is larger than " + std::to_string(most >> 10) + " KiB");
  return {};
}

/// Reads the body, which httplib leaves to this code. Returns false when the body did not come in
/// full.
bool read_body(Connection& connection, std::size_t length, std::string& body) {
  body.resize(length);
  connection.allow(length);
  for (std::size_t have = 0; have < length;) {
    const auto got = connection.read(body.data() + have, length - have);
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

/// Takes memory for a body from the node's budget. Returns nothing, or the reply that refuses the
/// request.
std::optional<Reply> reserve_body_memory(Context& context, Exchange& exchange, std::size_t length) {
  if (length <= limits::kFreeBodyBytes) return {};
  auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  exchange.body_memory.emplace(std::move(node));
  if (exchange.body_memory->taken.more(length * limits::kBodyMakes)) return {};
  return reply_no_memory(context, "a long request");
}

/// Reads and discards a body, so that the connection can go on: a client reads no answer before it
/// has sent the whole body. Returns false when the body did not come in full.
bool skip_body(Connection& connection, std::size_t length) {
  char part[4096];
  connection.allow(length);
  while (length != 0) {
    const auto got = connection.read(part, std::min(length, sizeof part));
    if (got <= 0) return false;
    length -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Answers "Expect: 100-continue", for which a client waits before it sends a large body. Not
/// called for a head that is refused.
void invite_body(Connection& connection, httplib::Request& http) {
  if (http.get_header_value("Expect") != "100-continue") return;
  http.headers.erase("Expect");  // otherwise httplib would answer it again, too late
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  connection.write(kContinue.data(), kContinue.size());
  connection.flush();
}

std::optional<Reply> refuse_text(const Request& request) {
  bool good = text::is_utf8(request.path) && text::is_utf8(request.last_event_id);
  for (const auto& [key, value] : request.query)
    good = good && text::is_utf8(key) && text::is_utf8(value);
  if (!good) return reply_error(400, -EINVAL, "the path or query is not UTF-8");
  return {};
}

/// Reads the body, or sets the reply that refuses it. Returns false when the body did not come in
/// full.
bool take_body(Context& context, Exchange& exchange, std::size_t length) {
  try {
    exchange.refusal = reserve_body_memory(context, exchange, length);
    if (!exchange.refusal) return read_body(exchange.connection, length, exchange.request.body);
  } catch (const std::bad_alloc&) {  // no byte of the body was read
    exchange.refusal = reply_no_memory(context, "a request");
  }
  return skip_body(exchange.connection, length);
}

bool is_stream(const httplib::Request& http) {
  return http.path == kEventsPath && http.get_param_value("wait") != "0";
}

/// Takes over a request. httplib calls this when it has read the head.
void take_request(Context& context, httplib::Request& http, const HttpSessions::Rules& rules) {
  Exchange& exchange = *current;
  exchange.parsed = true;
  // Ranges and compressed answers are useless over a local socket.
  http.ranges.clear();
  http.headers.erase("Range");
  http.headers.erase("Accept-Encoding");
  exchange.refusal = refuse_head(http, rules, exchange);
  if (exchange.refusal)
    http.headers.erase("Expect");
  else
    invite_body(exchange.connection, http);
  exchange.close = exchange.refusal.has_value();
  if (!exchange.refusal && !take_body(context, exchange, *content_length(http))) {
    exchange.close = true;
    exchange.refusal = reply_error(400, -EINVAL, "the body is shorter than its Content-Length");
  }
  if (exchange.close) {
    http.headers.erase("Connection");
    http.set_header("Connection", "close");
    return;
  }
  if (exchange.refusal) return;
  if (is_stream(http)) {
    http.headers.erase("Connection");
    http.set_header("Connection", "close");
  }
  exchange.head_only = http.method == "HEAD";
  Request& request = exchange.request;
  request.method = http.method == "HEAD" ? "GET" : http.method;
  request.path = http.path;
  request.query.assign(http.params.begin(), http.params.end());
  request.caller = exchange.caller;
  request.last_event_id = http.get_header_value("Last-Event-ID");
  exchange.refusal = refuse_text(request);
}

/// Makes httplib request the body piece by piece. A client of HTTP/1.0 does not know chunks, so the
/// body for it ends with the connection.
void put_pieces(const Reply& reply, bool chunked, httplib::Response& to) {
  const auto provide = [make = reply.make](std::size_t, httplib::DataSink& sink) {
    Pieces pieces([&](std::string_view piece) { return sink.write(piece.data(), piece.size()); });
    make(pieces);
    sink.done();
    return true;
  };
  if (chunked)
    to.set_chunked_content_provider(reply.content_type, provide);
  else
    to.set_content_provider(reply.content_type, provide);
}

/// Writes the head of an answer whose body other code sends. The body ends with the connection.
void put_head(const Reply& reply, httplib::Response& to) {
  to.set_header("Cache-Control", "no-store");
  to.set_content_provider(reply.content_type, [](std::size_t, httplib::DataSink& sink) {
    sink.done();
    return true;
  });
}

void put_reply(const Reply& reply, bool chunked, httplib::Response& to) {
  to.status = reply.status;
  if (reply.make)
    put_pieces(reply, chunked, to);
  else if (reply.hand_over)
    put_head(reply, to);
  else
    to.set_content(reply.body, reply.content_type);
  if (!reply.allow.empty()) to.set_header("Allow", reply.allow);
  if (reply.retry_after_s != 0) to.set_header("Retry-After", std::to_string(reply.retry_after_s));
}

}  // namespace

/// httplib's server without its listening and its threads; Listener and Workers replace them.
class HttpSessions::Server : public httplib::Server {
 public:
  Server(Context& context, Rules rules)
      : context_(context), counters_(context.counters), rules_(rules) {
    set_keep_alive_max_count(1'000'000);
    set_keep_alive_timeout(
        std::chrono::duration_cast<std::chrono::seconds>(limits::kIdleTime).count());
    svr_sock_ = 0;  // otherwise httplib would believe that it is closed and request no pieces
    set_pre_routing_handler([this](const httplib::Request& http, httplib::Response& response) {
      const bool chunks = http.version != "HTTP/1.0";
      const Reply reply = answer_current();
      current->last = (reply.make && !chunks) || reply.hand_over;
      if (!current->head_only) current->hand_over = reply.hand_over;
      put_reply(reply, chunks, response);
      return HandlerResponse::Handled;
    });
    // An answer without a body is one that httplib itself gives to a request that it could not
    // read.
    set_error_handler(Handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        put_reply(reply_error(response.status, -EINVAL, "not an HTTP request"), true, response);
    }));
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
          put_reply(reply_error(500, -EIO, "internal error"), true, response);
        });
  }

  /// Serves one request. Returns false when the connection has to end.
  bool exchange_one(Connection& connection, const Caller& caller) {
    Exchange exchange{.connection = connection,
                      .caller = caller,
                      .head = {},
                      .request = {},
                      .body_memory = {},
                      .refusal = {}};
    ConnectionStream stream(connection, exchange.head);
    bool client_closes = false;
    connection.allow(limits::kHeadBytes);
    current = &exchange;
    const bool done = process_request(stream, false, client_closes, [this](httplib::Request& http) {
      take_request(context_, http, rules_);
    });
    current = nullptr;
    const bool flushed = connection.flush();
    count(connection, exchange, done);
    if (done && flushed && exchange.hand_over) hand_over(connection, exchange);
    return done && flushed && exchange.parsed && !exchange.close && !exchange.last &&
           !client_closes;
  }

  void end_for_memory() noexcept {
    ++counters_.no_memory;
    log_no_memory(context_.log, "a connection of the control API");
  }

 private:
  Reply answer_current() {
    Reply reply = current->refusal ? *current->refusal : answer(context_, current->request);
    if (reply.status == 403)
      ++counters_.refused;
    else if (reply.status >= 400)
      ++counters_.failed;
    return reply;
  }

  /// Hands over a duplicate of the descriptor, because the connection closes its own.
  void hand_over(const Connection& connection, const Exchange& exchange) {
    const int other = ::fcntl(connection.descriptor(), F_DUPFD_CLOEXEC, 0);
    if (other >= 0) exchange.hand_over(other);
  }

  void count(const Connection& connection, const Exchange& exchange, bool done) {
    if (connection.timed_out()) ++counters_.timed_out;
    if (exchange.parsed) ++counters_.requests;
    if ((done && !exchange.parsed) || connection.exceeded() || exchange.close)
      ++counters_.malformed;
  }

  Context& context_;
  ControlCounters& counters_;
  const Rules rules_;
};

HttpSessions::HttpSessions(Context& context, Rules rules)
    : server_(std::make_unique<Server>(context, rules)) {}

HttpSessions::~HttpSessions() = default;

void HttpSessions::end_for_memory() noexcept { server_->end_for_memory(); }

void HttpSessions::serve(Connection& connection, const Caller& caller) noexcept {
  try {
    while (connection.wait_for_request() && server_->exchange_one(connection, caller)) {
    }
  } catch (const std::bad_alloc&) {
    current = nullptr;
    server_->end_for_memory();
  } catch (...) {
    // After an unexpected exception of httplib this connection ends, and the server stays.
    current = nullptr;
  }
}

}  // namespace ulnet::node::control
