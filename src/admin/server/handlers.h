// The handlers of the control API: one file per noun of lnetctl (net.cc, peer.cc, ...), each a
// function from a request to a reply. They may wait for the node; they run on the server's threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "admin/server/event_streams.h"
#include "admin/server/message.h"
#include "admin/server/node_slot.h"
#include "admin/server/reload.h"
#include "admin/server/request_log.h"

namespace ulnet::node::control {

class ControlCounters;

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

using Handler = Reply (*)(Context&, const Request&);

Reply show_version(Context&, const Request&);
Reply show_nets(Context&, const Request&);
Reply add_net(Context&, const Request&);
Reply delete_net(Context&, const Request&);
Reply set_net(Context&, const Request&);
Reply show_peers(Context&, const Request&);
Reply add_peer(Context&, const Request&);
Reply delete_peer(Context&, const Request&);
Reply set_peers(Context&, const Request&);
/// Makes the daemon write a text to its log, whatever level the log has. -EINVAL: the request has
/// no text.
Reply mark_log(Context&, const Request&);
/// Makes the node write the state of a peer to its log.
Reply log_peer(Context&, const Request&);
Reply show_stats(Context&, const Request&);
Reply show_counters(Context&, const Request&);
Reply reset_stats(Context&, const Request&);
Reply show_globals(Context&, const Request&);
Reply set_globals(Context&, const Request&);
Reply show_udsps(Context&, const Request&);
Reply add_udsp(Context&, const Request&);
Reply delete_udsp(Context&, const Request&);
Reply show_selections(Context&, const Request&);
Reply add_selection(Context&, const Request&);
Reply delete_selection(Context&, const Request&);
Reply show_faults(Context&, const Request&);
Reply add_fault(Context&, const Request&);
Reply delete_fault(Context&, const Request&);
Reply reset_faults(Context&, const Request&);
Reply show_params(Context&, const Request&);
Reply set_params(Context&, const Request&);
Reply show_nids(Context&, const Request&);
Reply show_cpt(Context&, const Request&);
Reply show_path(Context&, const Request&);
Reply ping_nids(Context&, const Request&);
Reply discover_nids(Context&, const Request&);
Reply show_discovery_steps(Context&, const Request&);
Reply show_events(Context&, const Request&);
Reply show_routes(Context&, const Request&);
Reply add_route(Context&, const Request&);
Reply delete_route(Context&, const Request&);
Reply show_routing(Context&, const Request&);
/// Turns routing on or off, and sets the numbers of router buffers.
Reply set_routing(Context&, const Request&);
Reply show_recovery(Context&, const Request&);
Reply show_file(Context&, const Request&);
Reply configure_lnet(Context&, const Request&);
Reply run_batch(Context&, const Request&);
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
