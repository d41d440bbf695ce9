// A node inside your program: one call starts LNet on real threads and sockets. Several nodes may
// live in one process.
//
//   ulnet::NodeOptions options;
//   options.networks = "tcp(eth0)";
//   auto node = ulnet::Node::start(options);      // Result<std::unique_ptr<ulnet::Node>>
//
// Source: spec/core-semantics.md 2.1, spec/cli-lnetctl.md 9.1, 11.3.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ulnet/export.h"
#include "ulnet/lnet.hpp"
#include "ulnet/result.hpp"

namespace ulnet {

/// Who runs handlers and moves bytes.
enum class Mode : std::uint8_t {
  kInline,     ///< only threads that call progress() (or poll an EventQueue); one CPU partition
  kShared,     ///< the node's own threads; a handler runs on the thread that read the message
  kDedicated,  ///< as kShared, with a pinned thread per CPU partition for its own state
};

struct NodeOptions {
  std::string name = "ulnet";
  Mode mode = Mode::kShared;
  Pid pid = Pid::lustre();  ///< the node's PID; "any" is refused
  /// Module parameters by name: accept, accept_port, peer_credits, wait, ... (`ulnetctl param show`
  /// lists them).
  std::map<std::string, std::string> params;
  /// Nets to start, as in the module parameter: "tcp(eth0)", "tcp(127.0.0.11),tcp1(eth1)". Not
  /// given: the environment variable ULNET_NETWORKS, then the parameter `networks`; none of them:
  /// 0@lo only. At most 4096 characters; add_networks() adds more. Read by ulnet::Node::start.
  std::optional<std::string> networks;
  /// Of an interface with both kinds of address take the IPv6 one (`lnet configure --large`).
  bool prefer_large = false;
  /// Called with log lines, level 0 (debug) to 3 (error); null discards them. Any thread.
  void (*log)(void* context, int level, const char* line) = nullptr;
  void* log_context = nullptr;  ///< as `log`: must outlive the node, also after stop()
  /// The least level of the lines about peers and connections: others are not even made.
  int log_level = 1;
};

class ULNET_EXPORT Node : public Lnet {
 public:
  /// All or nothing. -EINVAL, -ENOENT: a bad value, parameter or networks text, which the reason
  /// names; -EAGAIN, -EMFILE, -ENOMEM: no thread, descriptor, memory; else the driver's. Waits.
  static Result<std::unique_ptr<Node>> start(const NodeOptions& options);
  /// Stops with a deadline of 0. Descriptors and event queues (ulnet/handles.hpp,
  /// ulnet/event_queue.hpp) may be destroyed afterwards; plain MDs are gone, and their sinks hear
  /// nothing of it. Inside a handler, the node goes on until that handler has returned: it ends
  /// when the call of the node's that this thread makes ends, and on a thread of the node's own
  /// soon after. Where the system has no thread for that, the log says so and it is tried again
  /// until there is one.
  ~Node() override = default;

  /// Starts more nets; on an error those of this call are stopped again. Waits; any thread.
  /// -EINVAL: the text. -EEXIST: there already. -ENETDOWN: no such interface, or it is down. Else
  /// the driver's error. -EDEADLK inside a handler, where nothing is done.
  virtual Result<void> add_networks(std::string_view networks) = 0;
  /// Ends everything in flight and stops; Sends not ended within `deadline` are cancelled. Waits;
  /// any thread. Calls answer -ESHUTDOWN from here on, but MDs can still be unlinked. Idempotent.
  /// -EDEADLK inside a handler, where nothing is done.
  virtual Result<void> stop(std::chrono::nanoseconds deadline) = 0;
};

}  // namespace ulnet
