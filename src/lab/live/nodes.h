// The nodes of a laboratory while it runs: started, asked, paused, killed; and their rails cut.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/client/door_client.h"
#include "lab/live/laboratory.h"
#include "lab/live/processes.h"
#include "lab/live/wires.h"

namespace ulnet::tools::lab {

/// The path of ulnetd. -ENOENT, with a sentence that says what to do.
Result<std::string> find_daemon();

/// Writes the node's configuration, or its module parameters, and starts its daemon, noted in the
/// journal and the record.
Result<void> start_node(Laboratory& lab, NodeNumber node, const std::string& daemon,
                        Journal& journal);

/// Waits until the doors of these nodes answer. -ECHILD: a node has ended, with the last lines of
/// its log; -EINTR when `stopped` says so; -ETIMEDOUT.
Result<void> wait_for_doors(const Laboratory& lab, const std::vector<NodeNumber>& nodes,
                            const std::function<bool()>& stopped,
                            const std::function<void(std::size_t answered)>& progress);

/// The last lines of a node's log, each indented.
std::string last_lines(const Home& home, std::string_view node, std::size_t count);

enum class Life : std::uint8_t { kRunning, kPaused, kDead };
const char* to_string(Life life);
struct Seen {
  Life life = Life::kDead;
  ProcessId id;
  std::uint64_t anonymous = 0;  ///< bytes
};
Seen look_at(const Laboratory& lab, NodeNumber node);

/// The door of a node that runs. -EAGAIN: it is paused; -ESRCH: it is dead; other errors as
/// DoorClient::open().
Result<std::unique_ptr<ctl::DoorClient>> door_of(const Laboratory& lab, NodeNumber node);

/// The nodes that words name, each once, in the topology's order. -ENOENT names a word that is
/// none.
Result<std::vector<NodeNumber>> nodes_of_words(const Topology& topology,
                                               const std::vector<std::string>& words);

/// A node that was started before its gateways has routes that are down, and would ask again only
/// when the time of a check has passed: it discovers those gateways now. Waits for them for up to
/// 5 s; what cannot be discovered stays as it is.
void look_for_gateways(const Laboratory& lab, NodeNumber node);

/// Gives a node the fault rules that it has now, and the health of its NIs whose rails are cut.
Result<void> bring_in_line(const Laboratory& lab, NodeNumber node);

/// Cuts a wire or mends it, and saves that. Nodes that are dead or paused are brought in line when
/// they come back.
Result<void> cut(Laboratory& lab, const WireEnd& wire);
Result<void> mend(Laboratory& lab, const WireEnd& wire);
/// Another rate of a wire, in bits a second, 0 for none, and saves it. -EOPNOTSUPP on loopback.
Result<void> set_rate(Laboratory& lab, const WireEnd& wire, std::uint64_t bits_per_second);

/// Kills a node at once, as a machine that loses its power.
Result<void> kill_node(const Laboratory& lab, NodeNumber node);
Result<void> pause_node(const Laboratory& lab, NodeNumber node);
Result<void> resume_node(const Laboratory& lab, NodeNumber node);
/// Ends it if it runs, starts it again, and waits until it answers.
Result<void> restart_nodes(Laboratory& lab, const std::vector<NodeNumber>& nodes);

}  // namespace ulnet::tools::lab
