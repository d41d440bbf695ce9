// The parts of a random world. Each function changes some worlds, or what its name says.
// draw_admin.h has the changes of administrators. Source: DESIGN.md 6.
#pragma once

#include "lnet/core/contract/fault.h"
#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

// ---- a node: the settings of LNet and of its TCP driver

void draw_settings(Dice& dice, NodeSetup& setup);
/// Settings that matter to hostile peers.
void draw_bounds(Dice& dice, NodeSetup& setup);
/// Some nodes have no descriptor for some of their connections.
void draw_descriptors(Dice& dice, Scenario& scenario);
/// In some worlds the nodes announce the memory of MDs.
void draw_announced_memory(Dice& dice, Scenario& scenario);
/// Two nodes exchange a message from time to time, for so long that other peers are forgotten.
void draw_idle_peers(Dice& dice, Scenario& scenario);
/// In worlds with foreign peers, some nodes have room for few peers besides those of the world.
void draw_peer_limits(Dice& dice, Scenario& scenario);

// ---- the network (spec/wire-lnet.md 1.3, 4.5, spec/multirail.md 3.2)

/// Gives all NIDs on some nets IPv6 addresses, in the nodes' NIs and routes. It does so on all nets
/// where there are routers, because a large NID cannot cross a net of small NIDs (3.1). It must run
/// before any function that uses the NIDs.
void draw_addresses(Dice& dice, Scenario& scenario);

/// Gives the nodes two to four NIs, each on a net of its own. Some nodes lack some of these nets;
/// any two nodes have one in common. It must run before any function that uses the nodes' NIs.
void draw_own_nets(Dice& dice, Scenario& scenario);

/// Links of NIs go down and up again, for shorter and for longer than TCP takes until it
/// retransmits, while loads take about `busy`.
void draw_flaps(Dice& dice, Scenario& scenario, Duration busy);

/// Attaches the NIs to two to four switches. Links between these are cut or become slow.
void draw_switches(Dice& dice, Scenario& scenario, Duration busy);

// ---- routers: no routes make a loop

/// Puts the nodes of `scenario` on two or three nets with one to three routers between them. Each
/// node then has its NIs on one net, and the routers are added behind the nodes. `sound`: every
/// node reaches every other one, both ways.
void draw_routers(Dice& dice, Scenario& scenario, bool sound);

// ---- traffic

/// Random operations or calls, and up to two loads with fixed senders. Returns about how long they
/// take.
Duration draw_loads(Dice& dice, Scenario& scenario);
/// In a tenth of the worlds nodes read and write as a file system does, 1 MiB at a time.
void draw_bulk(Dice& dice, Scenario& scenario);
/// In some worlds where nothing fails, adds PUTs without payload and without ACK: only the counters
/// of both ends show whether they arrived.
void draw_unacknowledged_puts(Dice& dice, Scenario& scenario);

/// A session of LNet selftest whose console disappears, in a few worlds. The world then lasts until
/// nodes have ended the session by themselves, and its links are so slow that a test costs no more
/// than other loads.
void draw_selftest(Dice& dice, Scenario& scenario);

/// One or two nodes of other software, which may be upgraded or downgraded, in a fifteenth of the
/// worlds over TCP with an IPv4 net.
void draw_old_nodes(Dice& dice, Scenario& scenario);

// ---- users (spec/core-semantics.md 5)

/// Handlers of some nodes take so long that events wait for them.
void draw_slow_handlers(Dice& dice, Scenario& scenario);

/// The user of a node whose program has to call progress() stops calling it, soon after the loads
/// of about `busy` have begun: the node does nothing until all faults end.
void draw_idle_users(Dice& dice, Scenario& scenario, Duration busy);

// ---- faults

/// A fault rule of `node` for messages between it and `other`, or, if it drops them, for any
/// messages. Incoming messages are dropped and not delayed: the checkers expect that the step in
/// which a header arrives also decides about the message.
core::FaultRule draw_fault_rule(Dice& dice, const NodeSetup& node, const NodeSetup& other);

/// A fault of a node or of a link, or a shutdown, at any time; most begin within `busy`, while the
/// loads run.
Act draw_act(Dice& dice, const Scenario& scenario, Duration busy);
/// Inserts the act among the acts of the scenario, which are in the order of time.
void add_act(Scenario& scenario, const Act& act);

}  // namespace ulnet::sim
