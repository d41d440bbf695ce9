#include "stories.h"

namespace ulnet::core::shard_msgs {

namespace {

using Deed = ExploredNode::Deed;

MakeNode node_of(std::vector<Deed> script, bool lazy = true, std::uint32_t shards = 3,
                 PortalRotor rotor = PortalRotor::kHashRouted) {
  return [script = std::move(script), lazy, shards, rotor] {
    auto node = std::make_unique<ExploredNode>(shards, script, rotor);
    node->know_peers();
    if (lazy) node->set_lazy();
    return node;
  };
}

Deed put(std::uint32_t shard, std::uint64_t bits, std::uint32_t length = 8) {
  return {"PUT " + std::to_string(bits),
          [=](ExploredNode& node) { node.arrive(shard, bits, false, true, length); }};
}
Deed get(std::uint32_t shard, std::uint64_t bits) {
  return {"GET " + std::to_string(bits),
          [=](ExploredNode& node) { node.arrive(shard, bits, true); }};
}
/// The condition that the deed with that number has been done.
std::function<bool(const ExploredNode&)> after(std::size_t deed) {
  return [=](const ExploredNode& node) { return node.done(deed); };
}
/// Two deeds that attach a buffer at a shard: first the claim at the owner shard, then entry and
/// MD. `number`: the number of the first deed in the script.
std::vector<Deed> attach(std::uint32_t shard, std::size_t number, std::int32_t threshold = 1,
                         std::uint32_t options = kOpPut | kOpGet) {
  return {{"claim for " + std::to_string(shard), [=](ExploredNode& node) { node.claim(shard); }},
          {"attach at " + std::to_string(shard),
           [=](ExploredNode& node) {
             node.attach_entry(shard);
             node.attach_md(shard, threshold, options);
           },
           after(number)}};
}
Deed attach_for_odd_ones(std::uint32_t shard, std::size_t when) {
  return {"attach for odd ones at " + std::to_string(shard),
          [=](ExploredNode& node) {
            node.attach_entry(shard, true);
            node.attach_md(shard, 1, kOpPut);
          },
          after(when)};
}
Deed unlink(std::uint32_t shard, std::size_t when) {
  return {"unlink at " + std::to_string(shard), [=](ExploredNode& node) { node.unlink(shard); },
          after(when)};
}
Deed remove_ni(std::uint32_t shard) {
  return {"no NI at " + std::to_string(shard), [=](ExploredNode& node) { node.remove_ni(shard); }};
}
std::vector<Deed> operator+(std::vector<Deed> a, std::vector<Deed> b) {
  for (Deed& deed : b) a.push_back(std::move(deed));
  return a;
}

std::vector<Deed> own_request(bool get) {
  return {{get ? "own GET" : "own PUT", [=](ExploredNode& node) { node.request(0, 2, get); }},
          {get ? "its REPLY" : "its ACK", [=](ExploredNode& node) { node.answer(0, 2, get); },
           after(0)},
          {"another, that nobody waits for", [=](ExploredNode& node) { node.answer(0, 2, get); },
           after(1)},
          unlink(0, 0)};
}

}  // namespace

Story one_buffer_for_two() {
  std::vector<Deed> script{put(0, 1), put(2, 2)};
  script = script + attach(2, 2);
  script.push_back(unlink(2, 3));
  for (std::uint32_t shard = 0; shard < 3; ++shard) script.push_back(remove_ni(shard));
  // There is another NI, so that the net stays, with its peers; a_net_goes() has the other case.
  return {"one buffer for two", [make = node_of(script)] {
            auto node = make();
            node->add_other_ni();
            return node;
          }};
}

Story a_connection_dies() {
  std::vector<Deed> script{put(0, 1), put(2, 2)};
  script = script + attach(2, 2);
  script.push_back({"1 is lost", [](ExploredNode& node) { node.lose(1); },
                    [](const ExploredNode& node) { return node.waiting(1); }});
  script.push_back(unlink(2, 3));
  return {"a connection dies", node_of(script)};
}

Story two_buffers() {
  std::vector<Deed> script{put(0, 1), get(2, 2)};
  script = script + attach(0, 2) + attach(2, 4);
  return {"two buffers", node_of(script)};
}

Story one_shard_twice() {
  std::vector<Deed> script{put(2, 1), put(2, 2)};
  script = script + attach(2, 2);
  script.push_back(attach(2, 3).back());
  return {"one shard twice", node_of(script)};
}

Story two_in_turn() {
  std::vector<Deed> script{put(0, 1), put(0, 2)};
  script = script + attach(1, 2, 2) + attach(2, 4, 2);
  return {"two in turn", node_of(script)};
}

Story everybody_in_turn() {
  std::vector<Deed> script{put(0, 1), put(2, 2)};
  script = script + attach(2, 2);
  script.push_back(unlink(2, 3));
  return {"everybody in turn", node_of(script, true, 3, PortalRotor::kOn)};
}

Story owner_in_turn() {
  std::vector<Deed> script{put(1, 1), put(1, 2)};
  script = script + attach(2, 2);
  script.push_back(unlink(2, 3));
  return {"owner in turn", node_of(script, true, 3, PortalRotor::kOn)};
}

Story less_is_left() {
  std::vector<Deed> script{put(1, 1, 40), put(1, 2, 24), put(1, 3, 8), put(2, 4, 48)};
  script[1].ready = after(0);
  script[2].ready = after(1);
  return {"less is left", node_of(script + attach(2, 4, 2))};
}

Story another_entry_takes_it() {
  std::vector<Deed> script{put(1, 1), put(1, 2)};
  script = script + attach(2, 2);
  script.push_back(attach_for_odd_ones(2, 3));
  return {"another entry takes it", node_of(script)};
}

Story a_buffer_at_the_owner_meanwhile() {
  std::vector<Deed> script{{"claim for 2", [](ExploredNode& node) { node.claim(2); }}};
  script.push_back(attach_for_odd_ones(2, 0));
  script.push_back({"claim for 1", [](ExploredNode& node) { node.claim(1); }, after(1)});
  script.push_back(attach_for_odd_ones(1, 2));
  script.push_back(put(0, 2));
  script.back().ready = after(3);
  script.push_back(attach(1, 4).back());
  return {"a buffer at the owner meanwhile", node_of(script)};
}

namespace {

/// A PUT comes in at `at`; an entry at shard 2 names another NID of the same peer, which the shards
/// learn at some time.
std::vector<Deed> known_too_late(std::uint32_t at, std::optional<std::uint64_t> bits) {
  return {put(at, 1),
          {"claim for 2", [=](ExploredNode& node) { node.claim_named(2, bits); }},
          {"attach at 2",
           [=](ExploredNode& node) {
             node.attach_named(2, bits);
             node.attach_md(2, 1, kOpPut);
           },
           after(1)},
          {"they are one peer", [=](ExploredNode& node) {
             node.publish({at, 2});
           }}};
}

}  // namespace

Story a_peer_advertises_its_nids() {
  std::vector<Deed> script = known_too_late(0, std::nullopt);
  script.push_back(put(0, 2));
  return {"a peer advertises its NIDs", node_of(script)};
}

Story a_peer_on_a_unique_portal() {
  std::vector<Deed> script = known_too_late(0, 1);
  script.push_back(put(2, 1));
  return {"a peer on a unique portal", node_of(script)};
}

Story a_peer_of_the_owner() {
  std::vector<Deed> script = known_too_late(1, std::nullopt);
  script.push_back(put(1, 2));
  return {"a peer of the owner", node_of(script)};
}

Story nids_come_and_go() {
  std::vector<Deed> script = known_too_late(0, std::nullopt);
  script.push_back(
      {"only the first is its own", [](ExploredNode& node) { node.publish({0}); }, after(3)});
  return {"NIDs come and go", node_of(script)};
}

Story a_peer_entry_is_asked_for() {
  std::vector<Deed> script = known_too_late(0, std::nullopt);
  script.push_back({"own PUT", [](ExploredNode& node) { node.request(1, 0, false); }});
  return {"a peer entry is asked for", [script] {
            auto node = std::make_unique<ExploredNode>(3, script, PortalRotor::kHashRouted);
            node->set_lazy();
            return node;
          }};
}

Story a_peer_is_deleted() {
  std::vector<Deed> script{put(2, 1),
                           {"own PUT", [](ExploredNode& node) { node.request(1, 2, false); }},
                           {"they are one peer",
                            [](ExploredNode& node) {
                              node.publish({2, 0});
                            }},
                           {"deleted", [](ExploredNode& node) { node.delete_peer(2); }, after(2)}};
  return {"a peer is deleted", [script] {
            auto node = std::make_unique<ExploredNode>(3, script, PortalRotor::kHashRouted);
            node->set_lazy();
            return node;
          }};
}

Story a_peer_is_configured() {
  std::vector<Deed> script{put(2, 1),
                           {"own PUT", [](ExploredNode& node) { node.request(1, 2, false); }},
                           {"configured", [](ExploredNode& node) {
                              node.configure_peer({2, 0});
                            }}};
  return {"a peer is configured", [script] {
            auto node = std::make_unique<ExploredNode>(3, script, PortalRotor::kHashRouted);
            node->set_lazy();
            return node;
          }};
}

Story a_nid_is_deleted() {
  const Deed put{"own PUT", [](ExploredNode& node) { node.request(1, 2, false); }};
  const Deed del{"its other NID is deleted", [](ExploredNode& node) { node.delete_nid(2, 0); }};
  return {"a NID is deleted", [make = node_of({put, put, del}, false)] {
            auto node = make();
            node->publish({2, 0});
            return node;
          }};
}

Story a_net_goes() {
  std::vector<Deed> script{put(2, 1),
                           {"own PUT", [](ExploredNode& node) { node.request(1, 2, false); }}};
  for (std::uint32_t shard = 0; shard < 3; ++shard) script.push_back(remove_ni(shard));
  return {"a net goes", node_of(script)};
}

Story by_chance() {
  std::vector<Deed> script;
  for (std::uint64_t i = 0; i < 12; ++i)
    script.push_back(i % 4 == 3 ? get(i % 5, 100 + i) : put(i % 5, 100 + i, i % 3 == 0 ? 40 : 8));
  for (std::uint32_t shard = 0; shard < 5; ++shard) {
    script = script + attach(shard, script.size(), 2);
    if (shard % 2 == 0) script.push_back(unlink(shard, script.size() - 1));
  }
  script.push_back({"100 is lost", [](ExploredNode& node) { node.lose(100); },
                    [](const ExploredNode& node) { return node.waiting(100); }});
  for (std::uint32_t shard = 0; shard < 5; ++shard) script.push_back(remove_ni(shard));
  return {"by chance", node_of(script, true, 5)};
}

Story an_own_put() { return {"an own PUT", node_of(own_request(false), false)}; }
Story an_own_get() { return {"an own GET", node_of(own_request(true), false)}; }

namespace {

MakeNode two_nis(std::vector<Deed> script, std::uint32_t to, std::uint32_t failures) {
  return [make = node_of(std::move(script), false), to, failures] {
    auto node = make();
    node->add_other_ni();
    node->know_multi_rail(to);
    node->let_fail(failures);
    return node;
  };
}
Deed put_from_1(std::uint32_t to) {
  return {"own PUT", [=](ExploredNode& node) { node.request(1, to, false); }};
}

}  // namespace

Story a_put_that_fails() {
  return {"a PUT that fails", two_nis({put_from_1(2), unlink(1, 0)}, 2, 2)};
}
Story a_put_that_fails_at_control() {
  return {"a PUT that fails at control", two_nis({put_from_1(0), unlink(1, 0)}, 0, 2)};
}
Story a_peer_that_fails() {
  return {"a peer that fails", [make = node_of({put_from_1(2)}, false)] {
            auto node = make();
            node->know_peers();
            node->publish({2, 0});
            node->let_fail(2, Health::kRemoteDropped);
            return node;
          }};
}
Story a_discovery_is_waited_for() {
  const Deed publish{"they are one peer", [](ExploredNode& node) { node.publish({2, 0}); }};
  return {"a discovery is waited for", node_of({put_from_1(2), unlink(1, 0), publish}, false)};
}
Story a_peer_cannot_be_discovered() {
  const auto put_from = [](std::uint32_t shard) -> Deed {
    return {"own PUT of " + std::to_string(shard),
            [=](ExploredNode& node) { node.request(shard, 2, false, true); }};
  };
  return {"a peer cannot be discovered", node_of({put_from(1), put_from(2), unlink(1, 0)}, false)};
}
Story a_path_that_is_stale() {
  return {"a path that is stale",
          two_nis({put_from_1(2), remove_ni(0), remove_ni(1), remove_ni(2)}, 2, 0)};
}
Story a_stale_path_is_given_up() {
  return {"a stale path is given up",
          two_nis({put_from_1(2), unlink(1, 0), remove_ni(0), remove_ni(1), remove_ni(2)}, 2, 1)};
}

Story an_ni_is_added() {
  std::vector<Deed> script{{"own PUT", [](ExploredNode& node) { node.request(0, 0, false); }}};
  for (std::uint32_t shard = 0; shard < 3; ++shard)
    script.push_back({"an NI at " + std::to_string(shard),
                      [=](ExploredNode& node) { node.add_other_ni_at(shard); }});
  return {"an NI is added", [make = node_of(script, false)] {
            auto node = make();
            node->know_multi_rail(0);
            node->let_fail(2);
            return node;
          }};
}

std::vector<Story> all_stories() {
  return {one_buffer_for_two(),
          a_connection_dies(),
          two_buffers(),
          one_shard_twice(),
          two_in_turn(),
          everybody_in_turn(),
          owner_in_turn(),
          less_is_left(),
          another_entry_takes_it(),
          a_buffer_at_the_owner_meanwhile(),
          a_peer_advertises_its_nids(),
          a_peer_on_a_unique_portal(),
          a_peer_of_the_owner(),
          nids_come_and_go(),
          a_peer_entry_is_asked_for(),
          a_peer_is_deleted(),
          a_peer_is_configured(),
          a_nid_is_deleted(),
          a_net_goes(),
          an_own_put(),
          an_own_get(),
          a_put_that_fails(),
          a_put_that_fails_at_control(),
          a_peer_that_fails(),
          a_discovery_is_waited_for(),
          a_peer_cannot_be_discovered(),
          a_path_that_is_stale(),
          a_stale_path_is_given_up(),
          an_ni_is_added()};
}

}  // namespace ulnet::core::shard_msgs
