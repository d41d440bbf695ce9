// What the letters' protocol is explored with. Portal 4 is lazy and at home at shard 1 of 3.
#pragma once

#include "explore.h"

namespace ulnet::core::letters {

struct Story {
  const char* name;
  MakeStreet make;
};
/// Two PUTs from different shards, one buffer for one of them at a third, which is unlinked some
/// time, and an NI that goes.
Story one_buffer_for_two();
/// The same without the NI's end, and the connection of one message dies meanwhile.
Story a_connection_dies();
/// Two buffers at two shards for a PUT, which may wait, and a GET, which may not.
Story two_buffers();
/// Two PUTs that come in at the shard where two buffers are posted, which is not home.
Story one_shard_twice();
/// Two PUTs that come in at a shard without buffers: the two others, one of which is home, take
/// turns.
Story two_in_turn();
/// Two PUTs for one buffer, and the rotor sends each PUT to another shard first.
Story everybody_in_turn();
/// The same with PUTs that come in at home.
Story home_in_turn();
/// Three PUTs wait for a buffer for two, of which one that comes in beside it leaves too little for
/// the first two; there is room for the third.
Story less_is_left();
/// Two PUTs wait; a buffer for either is posted, and before it one for the first only.
Story another_entry_takes_it();
/// A PUT that only one entry fits, which is posted at home while another partition looks for one;
/// home has looked already.
Story a_buffer_at_home_meanwhile();
/// Two PUTs of one NID wait, or come, beside a buffer that names another NID; the peer tells that
/// both are its own.
Story a_peer_tells_its_nids();
/// The same with a PUT from each of the NIDs, on a portal whose entries all name a sender.
Story a_peer_on_a_unique_portal();
/// The first with PUTs that come in at home.
Story a_peer_of_home();
/// A PUT with ACK from an MD of one shard to a peer of another, unlinked some time; its ACK comes.
Story an_own_put();
/// The same with a GET and its REPLY.
Story an_own_get();
/// Small enough to be played in every order.
std::vector<Story> all_stories();
/// Five shards, twelve messages, some of them long, a buffer for two at each of them, three of
/// which are unlinked.
Story by_chance();

}  // namespace ulnet::core::letters
