// A node inside your program: one call starts LNet with real threads and sockets. A process may
// have several nodes.
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

#include "ulnet/cxx20.hpp"
#include "ulnet/export.h"
#include "ulnet/lnet.hpp"
#include "ulnet/result.hpp"

namespace ulnet {

/// Which threads run handlers and move bytes.
enum class Mode : std::uint8_t {
  kInline,     ///< only threads that call progress() or poll an EventQueue; one CPU partition
  kShared,     ///< the node's own threads; a handler runs on the thread that read the message
  kDedicated,  ///< as kShared, with a pinned thread for each CPU partition's state
};

struct NodeOptions {
  std::string name = "ulnet";
  Mode mode = Mode::kShared;
  Pid pid = Pid::lustre();  ///< the node's PID; Node::start() refuses "any"
  /// Module parameters by name: accept, accept_port, peer_credits, wait, ... (`ulnetctl param show`
  /// lists them).
  std::map<std::string, std::string> params;
  /// Nets to start, in the form of the module parameter: "tcp(eth0)",
  /// "tcp(127.0.0.11),tcp1(eth1)". Not set: the environment variable ULNET_NETWORKS, else the
  /// parameter `networks`, else only 0@lo. At most 4096 characters; add_networks() adds more
  /// nets.
  std::optional<std::string> networks;
  /// If an interface has an IPv4 and an IPv6 address, the node uses the IPv6 one (`lnet configure
  /// --large`).
  bool prefer_large = false;
  /// Called with each log line, `level` 0 (debug) to 3 (error); null: no log. Any thread may call
  /// it, also two at a time. `line` is valid during the call. It must not call stop() or
  /// add_networks() of the node.
  void (*log)(void* context, int level, const char* line) = nullptr;
  void* log_context = nullptr;  ///< passed to `log`; both must outlive the node, not only stop()
  /// The lowest level of the lines about peers and connections that reach `log`; lines below it
  /// are not even composed.
  int log_level = 1;
};

class ULNET_EXPORT Node : public Lnet {
 public:
  /// Starts a node with all its nets; after an error nothing keeps running. -EINVAL, -ENOENT: a bad
  /// value, parameter or networks text, which the reason names. -EAGAIN, -EMFILE, -ENOMEM: the
  /// system has no thread, descriptor or memory. Else the driver's error. Waits; any thread.
  static Result<std::unique_ptr<Node>> start(const NodeOptions& options);
  /// Stops the node with a deadline of 0 (see stop()). Descriptors and event queues
  /// (ulnet/handles.hpp, ulnet/event_queue.hpp) may be destroyed afterwards. Other MDs end without
  /// an event. If a handler destroys the node, the node ends after that handler has returned: at
  /// the end of the call of this node that the handler's thread is in, or, on a thread of the
  /// node's own, soon afterwards. The end needs a new thread. While the system has none, the node
  /// tries again every 100 ms and logs that once.
  ~Node() override = default;

  /// Starts more nets, given as in NodeOptions::networks; after an error the nets that this call
  /// started are stopped again. -EINVAL: the text is wrong. -EEXIST: a net is running already.
  /// -ENETDOWN: no such interface, or it is down. Else the driver's error. -EDEADLK inside a
  /// handler, where nothing is done. Waits; any thread.
  virtual Result<void> add_networks(std::string_view networks) = 0;
  /// Stops the node: ends every operation in flight, and cancels the sends that have not ended
  /// within `deadline`. As soon as it begins, calls return -ESHUTDOWN, except for unlinking MDs. A
  /// second call does nothing. -EDEADLK inside a handler, where nothing is done. Waits; any thread.
  virtual Result<void> stop(std::chrono::nanoseconds deadline) = 0;
};

}  // namespace ulnet
