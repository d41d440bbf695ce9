// The nodes of a laboratory while it runs: starts, asks, pauses and kills them, and cuts their
// rails.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/client/control_client.h"
#include "lab/live/laboratory.h"
#include "lab/live/processes.h"
#include "lab/live/wires.h"

namespace ulnet::tools::lab {

/// Returns the path of ulnetd. -ENOENT, with a sentence that says what to do.
Result<std::string> find_daemon();

/// Writes the node's configuration, or its module parameters, and starts its daemon. Enters the
/// daemon in the journal and the record.
Result<void> start_node(Laboratory& lab, NodeNumber node, const std::string& daemon,
                        Journal& journal);

/// Waits until the control APIs of these nodes answer. -ECHILD: a node has ended, with the last
/// lines of its log; -EINTR when `stopped` returns true; -ETIMEDOUT.
Result<void> wait_until_answering(const Laboratory& lab, const std::vector<NodeNumber>& nodes,
                                  const std::function<bool()>& stopped,
                                  const std::function<void(std::size_t answered)>& progress);

/// Returns the last lines of a node's log, each indented.
std::string last_lines(const Home& home, std::string_view node, std::size_t count);

enum class RunState : std::uint8_t { kRunning, kPaused, kDead };
const char* to_string(RunState run_state);
struct Seen {
  RunState run_state = RunState::kDead;
  ProcessId id;
  std::uint64_t anonymous = 0;  ///< bytes
};
Seen look_at(const Laboratory& lab, NodeNumber node);

/// Opens the control API of a node that runs. -EAGAIN: the node is paused; -ESRCH: it is dead;
/// other errors as those of ControlClient::open().
Result<std::unique_ptr<ctl::ControlClient>> control_client(const Laboratory& lab, NodeNumber node);

/// Returns the nodes that words name, each once, in the topology's order. -ENOENT names a word that
/// names no node.
Result<std::vector<NodeNumber>> nodes_of_words(const Topology& topology,
                                               const std::vector<std::string>& words);

/// Lets a node discover its gateways now. A node that was started before its gateways has routes
/// that are down, and would ask again only at its next check. Waits for the gateways for up to 5 s;
/// a gateway that cannot be discovered stays as it is.
void look_for_gateways(const Laboratory& lab, NodeNumber node);

/// Gives a node the fault rules that it should have now, and sets the health of its NIs whose rails
/// are cut.
Result<void> bring_in_line(const Laboratory& lab, NodeNumber node);

/// Cuts a wire or repairs it, and saves that. Nodes that are dead or paused get their rules when
/// they come back.
Result<void> cut(Laboratory& lab, const WireEnd& wire);
Result<void> mend(Laboratory& lab, const WireEnd& wire);
/// Sets another rate of a wire, in bits a second, 0 for no limit, and saves it. -EOPNOTSUPP on
/// loopback.
Result<void> set_rate(Laboratory& lab, const WireEnd& wire, std::uint64_t bits_per_second);

/// Kills a node at once, like a machine that loses its power.
Result<void> kill_node(const Laboratory& lab, NodeNumber node);
Result<void> pause_node(const Laboratory& lab, NodeNumber node);
Result<void> resume_node(const Laboratory& lab, NodeNumber node);
/// Ends each node if it runs, starts it again, and waits until it answers.
Result<void> restart_nodes(Laboratory& lab, const std::vector<NodeNumber>& nodes);

}  // namespace ulnet::tools::lab
