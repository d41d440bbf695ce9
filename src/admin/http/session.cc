#include "admin/http/session.h"

#include <fcntl.h>
#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "admin/http/head_lines.h"
#include "admin/http/host_header.h"
#include "admin/http/limits.h"
#include "lnet/base/text.h"

namespace ulnet::http {

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

/// One request on its way through httplib, on the thread that serves its connection.
struct Exchange {
  Connection& connection;
  const Caller& caller;
  HeadLines head = {};
  httplib::Request* http = nullptr;  ///< set when httplib has understood the request's head
  Request request = {};
  std::shared_ptr<void> body_memory = {};
  std::optional<Reply> refusal = {};  ///< chosen before the service gets the request
  bool last = false;                  ///< the connection ends with this answer
  bool close = false;                 ///< the body was not read: the next request cannot be found
  bool head_only = false;             ///< the answer must have no body
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

/// Reads the body, which httplib leaves to this code, or discards it if `body` is null. Returns
/// false when the body did not come in full.
bool read_body(Connection& connection, std::size_t length, std::string* body) {
  char part[16 << 10];
  connection.allow(length);
  while (length != 0) {
    const auto got = connection.read(part, std::min(length, sizeof part));
    if (got <= 0) return false;
    if (body != nullptr) body->append(part, static_cast<std::size_t>(got));
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

/// Lets httplib write that the connection ends with this answer.
void end_connection(httplib::Request& http) {
  http.headers.erase("Connection");
  http.set_header("Connection", "close");
}

bool is_text(const Request& request) {
  return text::is_utf8(request.path) && std::ranges::all_of(request.query, [](const auto& entry) {
           return text::is_utf8(entry.first) && text::is_utf8(entry.second);
         });
}

/// Makes httplib request the body piece by piece. A client of HTTP/1.0 does not know chunks, so the
/// body for it ends with the connection. So does a body that other code sends, of which this code
/// sends nothing.
void put_pieces(const Reply& reply, bool chunked, httplib::Response& to) {
  const auto provide = [make = reply.make](std::size_t, httplib::DataSink& sink) {
    Pieces pieces([&](std::string_view piece) { return sink.write(piece.data(), piece.size()); },
                  [] { return current->connection.flush(); });
    if (make) make(pieces);
    pieces.finish();
    sink.done();
    return true;
  };
  if (chunked && reply.make)
    to.set_chunked_content_provider(reply.content_type, provide);
  else
    to.set_content_provider(reply.content_type, provide);
}

void put_reply(const Reply& reply, bool chunked, httplib::Response& to) {
  to.status = reply.status;
  if (reply.make || reply.hand_over)
    put_pieces(reply, chunked, to);
  else
    to.set_content(reply.body, reply.content_type);
  for (const auto& [name, value] : reply.headers) to.set_header(name, value);
}

/// httplib's server without its listening and its threads; Listener and Workers replace them.
class HttplibSessions final : public Sessions, private httplib::Server {
 public:
  explicit HttplibSessions(const Service& service)
      : service_(service), counters_(service.counters) {
    set_keep_alive_max_count(1'000'000);
    set_keep_alive_timeout(
        std::chrono::duration_cast<std::chrono::seconds>(service.times.idle).count());
    set_default_headers({service.headers.begin(), service.headers.end()});
    svr_sock_ = 0;  // otherwise httplib would believe that it is closed and request no pieces
    set_pre_routing_handler([this](const httplib::Request& http, httplib::Response& response) {
      const bool chunks = http.version != "HTTP/1.0";
      const Reply reply = answer_current();
      current->last = (reply.make && !chunks) || reply.hand_over;
      if (reply.hand_over) end_connection(*current->http);
      if (!current->head_only) current->hand_over = reply.hand_over;
      put_reply(reply, chunks, response);
      return HandlerResponse::Handled;
    });
    // An answer without a body is one that httplib itself gives to a request that it could not
    // read.
    set_error_handler(Handler([this](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        put_reply(refuse(response.status, -EINVAL, "not an HTTP request"), true, response);
    }));
    set_exception_handler(
        [this](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
          put_reply(refuse(500, -EIO, "internal error"), true, response);
        });
  }

  void serve(Connection& connection, const Identify& identify) noexcept override {
    try {
      const Caller caller = identify(connection.descriptor());
      while (connection.wait_for_request() && exchange_one(connection, caller)) {
      }
    } catch (const std::bad_alloc&) {
      end_for_memory();
    } catch (...) {
      // After an unexpected exception of httplib this connection ends, and the server stays.
    }
    current = nullptr;
  }

  void end_for_memory() noexcept override try {
    service_.no_memory(std::string("a connection of ") + service_.name);
  } catch (...) {  // there is no memory for the report either
  }

 private:
  /// Serves one request. Returns false when the connection has to end.
  bool exchange_one(Connection& connection, const Caller& caller) {
    Exchange exchange{.connection = connection, .caller = caller};
    ConnectionStream stream(connection, exchange.head);
    bool client_closes = false;
    connection.allow(limits::kHeadBytes);
    current = &exchange;
    const bool done = process_request(stream, false, client_closes,
                                      [this](httplib::Request& http) { take_request(http); });
    current = nullptr;
    const bool flushed = connection.flush();
    count(connection, exchange, done);
    if (done && flushed && exchange.hand_over) hand_over(connection, exchange);
    return done && flushed && exchange.http != nullptr && !exchange.close && !exchange.last &&
           !client_closes;
  }

  Reply refuse(int status, int code, std::string why) const {
    return service_.refuse(status, {code, std::move(why)});
  }

  /// Returns the refusal of a request that its head alone makes impossible to answer; nothing for
  /// any other request. The body of such a request is not read, and the connection ends.
  std::optional<Reply> refuse_head(const httplib::Request& http, const Exchange& exchange) const {
    if (exchange.head.malformed())
      return refuse(400, -EINVAL, "a header is not a name, a colon and a value in plain text");
    const bool one_host = http.get_header_value_count("Host") == 1;
    if (service_.loopback_host_only && !(one_host && names_loopback(http.get_header_value("Host"))))
      return refuse(403, -EACCES, "this port answers to loopback names only");
    if (http.has_header("Transfer-Encoding"))
      return refuse(411, -EINVAL, "a body must come with its Content-Length");
    if (http.has_header("Content-Encoding"))
      return refuse(415, -EINVAL, "a body must not be encoded");
    if (http.path.size() > limits::kPathBytes)
      return refuse(414, -ENAMETOOLONG, "the path is too long");
    const auto length = content_length(http);
    if (!length) return service_.refuse(400, length.error());
    const std::size_t most = service_.body_limit(exchange.request);
    if (*length > most)
      return refuse(413, -E2BIG, "the body is larger than " + std::to_string(most >> 10) + " KiB");
    return {};
  }

  /// Reads the body, or sets the reply that refuses it. Returns false when the body did not come in
  /// full.
  bool take_body(Exchange& exchange, std::size_t length) const {
    try {
      if (service_.take_memory)
        exchange.refusal = service_.take_memory(length, exchange.body_memory);
      if (!exchange.refusal) exchange.request.body.reserve(length);
    } catch (const std::bad_alloc&) {  // no byte of the body was read
      exchange.refusal = service_.no_memory("a request");
    }
    return read_body(exchange.connection, length,
                     exchange.refusal ? nullptr : &exchange.request.body);
  }

  /// Takes over a request. httplib calls this when it has read the head.
  void take_request(httplib::Request& http) const {
    Exchange& exchange = *current;
    exchange.http = &http;
    // Ranges and compressed answers are useless between processes of one machine.
    http.ranges.clear();
    http.headers.erase("Range");
    http.headers.erase("Accept-Encoding");
    exchange.head_only = http.method == "HEAD";
    exchange.request = {.method = exchange.head_only ? "GET" : http.method,
                        .path = http.path,
                        .query = {http.params.begin(), http.params.end()},
                        .body = {},
                        .caller = exchange.caller,
                        .headers = {http.headers.begin(), http.headers.end()}};
    exchange.refusal = refuse_head(http, exchange);
    exchange.close = exchange.refusal.has_value();
    if (exchange.close)
      http.headers.erase("Expect");
    else
      invite_body(exchange.connection, http);
    if (!exchange.close && !take_body(exchange, *content_length(http))) {
      exchange.close = true;
      exchange.refusal = refuse(400, -EINVAL, "the body is shorter than its Content-Length");
    }
    if (exchange.close)
      end_connection(http);
    else if (!exchange.refusal && !is_text(exchange.request))
      exchange.refusal = refuse(400, -EINVAL, "the path or query is not UTF-8");
  }

  Reply answer_current() {
    Reply reply = current->refusal ? *current->refusal : service_.answer(current->request);
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
    if (exchange.http != nullptr) ++counters_.requests;
    if ((done && exchange.http == nullptr) || connection.exceeded() || exchange.close)
      ++counters_.malformed;
  }

  const Service& service_;
  Counters& counters_;
};

}  // namespace

std::unique_ptr<Sessions> Sessions::of(const Service& service) {
  return std::make_unique<HttplibSessions>(service);
}

}  // namespace ulnet::http
