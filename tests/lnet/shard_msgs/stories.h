// The stories that explore the protocol of the inter-shard messages: a story lists the events on a
// node, but not their order. A node has three shards, unless a story has another number; portal 4
// is lazy, and shard 1 is its owner shard.
#pragma once

#include "explore.h"

namespace ulnet::core::shard_msgs {

struct Story {
  const char* name;
  MakeNode make;
};
/// Two PUTs come in, at shards 0 and 2. Shard 2 gets a buffer for one of them, which is unlinked at
/// some time. The NI is removed from all shards.
Story one_buffer_for_two();
/// As one_buffer_for_two(), but no NI is removed, and the connection of one PUT dies while it
/// waits.
Story a_connection_dies();
/// A PUT, which may wait, and a GET, which may not; buffers at two shards.
Story two_buffers();
/// Two PUTs come in at the shard where two buffers are posted, which is not the owner shard.
Story one_shard_twice();
/// Two PUTs come in at a shard without buffers. The two other shards, one of which is the owner
/// shard, have buffers and take turns.
Story two_in_turn();
/// Two PUTs and one buffer; the portal rotor has another shard look first for each PUT.
Story everybody_in_turn();
/// As everybody_in_turn(), but the PUTs come in at the owner shard.
Story owner_in_turn();
/// Three PUTs wait for a buffer with room for two. A fourth PUT comes in at the buffer's shard and
/// leaves too little for the first two, but enough for the third.
Story less_is_left();
/// Two PUTs wait. A buffer that both fit is posted, and then, in front of it, a buffer that only
/// the first PUT fits.
Story another_entry_takes_it();
/// A PUT that only one entry fits. The entry is posted at the owner shard after the owner shard has
/// looked for one, and while another shard looks.
Story a_buffer_at_the_owner_meanwhile();
/// Two PUTs from one NID wait, or come in, and a buffer names another NID. Then the shards learn
/// that both NIDs belong to one peer.
Story a_peer_advertises_its_nids();
/// As a_peer_advertises_its_nids(), with one PUT from each of the NIDs, on a unique portal.
Story a_peer_on_a_unique_portal();
/// As a_peer_advertises_its_nids(), but the PUTs come in at the owner shard.
Story a_peer_of_the_owner();
/// As a_peer_advertises_its_nids(), with one PUT; then the peer no longer reports one of the NIDs.
Story nids_come_and_go();
/// As a_peer_advertises_its_nids(), with one PUT, but no shard has used the peer yet; this node
/// sends to it too.
Story a_peer_entry_is_asked_for();
/// A PUT comes in and one leaves while the peer is deleted.
Story a_peer_is_deleted();
/// A PUT comes in and one leaves while the peer is configured with a second NID.
Story a_peer_is_configured();
/// Two PUTs from MDs of shard 1 to a peer while the peer's other NID is deleted.
Story a_nid_is_deleted();
/// Two PUTs from MDs of shard 1 while the only NI of their net is removed from all three shards.
Story a_net_goes();
/// A PUT with ACK from an MD of shard 0 to a peer of shard 2. The ACK comes, then one that is not
/// expected; the MD is unlinked at some time.
Story an_own_put();
/// As an_own_put(), with a GET and its REPLY.
Story an_own_get();
/// A PUT from an MD of shard 1 to a peer of shard 2 with multi-rail, by two NIs. Two Sends may
/// fail; the MD is unlinked at some time.
Story a_put_that_fails();
/// The same to a peer of the control shard.
Story a_put_that_fails_at_control();
/// A PUT from an MD of shard 1 to a NID of shard 2 whose peer has another NID. Two Sends may fail
/// because of the peer.
Story a_peer_that_fails();
/// A PUT from an MD of shard 1 to a NID that no shard knows, while all learn of its peer; the MD is
/// unlinked at some time.
Story a_discovery_is_waited_for();
/// PUTs from two shards to a NID that no shard knows, and the ping to it fails; the MD of one PUT
/// is unlinked at some time.
Story a_peer_cannot_be_discovered();
/// A PUT from an MD of shard 1 to a peer of shard 2 with multi-rail, while the NI that it would
/// take is removed. The shards learn of the removal one after the other.
Story a_path_that_is_stale();
/// As a_path_that_is_stale(); one Send may fail, and the MD is unlinked at some time.
Story a_stale_path_is_given_up();
/// A PUT from an MD of shard 0 to a peer of that shard, two Sends of which may fail, while another
/// NI is added. The shards learn of the NI one after the other.
Story an_ni_is_added();
/// All stories that are small enough to be played in every order.
std::vector<Story> all_stories();
/// A large story for play(): five shards; twelve messages, some of them long; a buffer for two
/// messages at each shard, three of which are unlinked; one connection dies, the NI is removed.
Story by_chance();

}  // namespace ulnet::core::shard_msgs
