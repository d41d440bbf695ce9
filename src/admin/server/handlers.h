// The handlers of the control API: one file per noun of lnetctl (net.cc, peer.cc, ...), each a
// function from a request to a reply. They may wait for the node; they run on the server's threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "admin/server/event_streams.h"
#include "admin/server/node_slot.h"
#include "admin/server/reload.h"
#include "admin/server/reply.h"
#include "admin/server/request_log.h"

namespace ulnet::node::control {

struct ControlCounters;
using api::Fields;
using api::parse_body;

/// How many bytes the answers in pieces (pieces.h) keep. Any thread.
struct ListBytes {
  /// Locked while a whole list of the node is read, because only one list may be read at a time.
  std::mutex reading;
  std::atomic<std::uint64_t> used{0};  ///< how much of limits::kListsBytes is used
  /// the log has a line that says that these bytes are short
  std::atomic<bool> shortage_logged{false};
};

/// The state that handlers share. It exists as long as the server.
struct Context {
  NodeSlot& slot;
  ControlCounters& counters;
  std::string name;     ///< the node's name
  std::string version;  ///< the program's version
  ControlLog log = {};
  Reload reload = {};  ///< empty: the daemon has no configuration to read
  ListBytes lists = {};
  EventStreams streams{counters};
};

using NodePtr = std::shared_ptr<Node>;
using Handler = Reply (*)(Context&, const Request&);
/// The handler of a path that exists only while LNet is configured; else reply_not_configured()
/// answers.
using NodeHandler = Reply (*)(Context&, const NodePtr&, const Request&);

Reply show_version(Context&, const Request&);
Reply show_nets(Context&, const NodePtr&, const Request&);
Reply show_peers(Context&, const NodePtr&, const Request&);
/// Makes the daemon write a text to its log, whatever level the log has. -EINVAL: the request has
/// no text.
Reply mark_log(Context&, const Request&);
/// Makes the node write the state of a peer to its log.
Reply log_peer(Context&, const NodePtr&, const Request&);
Reply show_udsps(Context&, const NodePtr&, const Request&);
Reply show_selections(Context&, const NodePtr&, const Request&);
Reply show_faults(Context&, const NodePtr&, const Request&);
Reply show_params(Context&, const NodePtr&, const Request&);
Reply show_cpt(Context&, const NodePtr&, const Request&);
Reply show_path(Context&, const NodePtr&, const Request&);
Reply ping_nids(Context&, const NodePtr&, const Request&);
Reply discover_nids(Context&, const NodePtr&, const Request&);
Reply show_discovery_steps(Context&, const NodePtr&, const Request&);
Reply show_events(Context&, const NodePtr&, const Request&);
Reply show_routes(Context&, const NodePtr&, const Request&);
Reply show_routing(Context&, const NodePtr&, const Request&);
Reply show_recovery(Context&, const NodePtr&, const Request&);
Reply show_file(Context&, const NodePtr&, const Request&);
Reply configure_lnet(Context&, const Request&);
Reply run_batch(Context&, const NodePtr&, const Request&);
Reply reload_configuration(Context&, const Request&);
/// Carries out a command of the selftest's console. The last part of the path names the command.
Reply run_lst(Context&, const Request&);
Reply show_metrics(Context&, const Request&);
Reply show_health(Context&, const Request&);

/// Returns the answer to every request while LNet is not configured, with the errno and the text
/// that lnetctl's users know.
Reply reply_not_configured();

/// Returns the answer to `what` when memory is short, and counts and logs it. The answer is 503, so
/// that the client asks again.
Reply reply_no_memory(Context& context, std::string_view what);

}  // namespace ulnet::node::control
