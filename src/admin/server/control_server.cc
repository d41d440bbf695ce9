#include "admin/server/control_server.h"

#include <system_error>

#include "admin/http/listener.h"
#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/limits.h"

namespace ulnet::node::control {

namespace {

struct OpenServer : ControlServer {
  OpenServer(const ControlServerOptions& options, NodeSlot& slot)
      : context{.slot = slot,
                .counters = counters,
                .name = options.name,
                .version = options.version,
                .log = options.log,
                .reload = options.reload} {}

  std::uint16_t tcp_port() const override { return tcp == nullptr ? 0 : tcp->port(); }

  ControlCounters counters;
  Context context;
  // The listeners' threads use all members above. The Unix socket is closed first.
  std::unique_ptr<http::Listener> tcp, on_path;
};

/// What every client of the TCP port is; `reads`: as ControlServerOptions::tcp_reads.
Caller tcp_client(bool reads) {
  return {.access = reads ? Access::kRead : Access::kMetrics,
          .refusal = reads ? "this port is read-only; changes go through the Unix socket"
                           : "this port serves /metrics and /healthz only; with --metrics-api it "
                             "is read-only for the rest",
          .who = "a client of the TCP port"};
}

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::open(const ControlServerOptions& options,
                                                           NodeSlot& slot) try {
  auto server = std::make_unique<OpenServer>(options, slot);
  const http::Service service = service_of(server->context);
  // The TCP port first: a client takes a node whose Unix socket answers for one that is ready.
  if (options.tcp_port) {
    http::Service on_tcp = service;
    on_tcp.threads = limits::kTcpThreads;
    on_tcp.loopback_host_only = true;
    auto tcp = http::Listener::open(*options.tcp_port, tcp_client(options.tcp_reads), on_tcp);
    if (!tcp) return tl::unexpected(tcp.error());
    server->tcp = std::move(*tcp);
  }
  auto on_path = http::Listener::open(options.path, service);
  if (!on_path) return fail(on_path.error().code, "control socket " + on_path.error().reason);
  server->on_path = std::move(*on_path);
  return server;
} catch (const std::system_error& lacking) {  // the system had no thread or no descriptor
  return fail(-lacking.code().value(), std::string("the control API: ") + lacking.what());
}

}  // namespace ulnet::node::control
