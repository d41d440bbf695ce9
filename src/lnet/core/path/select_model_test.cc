// Path selection against a model of spec/multirail.md 3.2: plain lists that are sorted by all
// terms, with their own round-robin counters. The tables are random, and health, credits and
// devices change between messages.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <tuple>

#include "lnet/base/rng.h"
#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/path/select.h"

namespace ulnet::core::test {
namespace {

constexpr std::uint32_t kPartitions = 3;

/// A node and a peer with several NIDs, and the model's round-robin counters.
class Model {
 public:
  explicit Model(std::uint32_t seed) : random_(seed) {
    std::vector<Nid> own, theirs;
    const std::uint16_t nets = up_to(3);
    for (std::uint16_t net = 0; net <= nets; ++net) {
      for (std::uint8_t i = 0, n = up_to(4); i < n; ++i) own.push_back(tcp(i + 1, net));
      for (std::uint8_t i = 0, n = up_to(4); i < n; ++i) theirs.push_back(tcp(i + 100, net));
    }
    if (theirs.empty()) theirs.push_back(tcp(100, 7));
    if (own.empty()) own.push_back(tcp(1));
    config_ = config_of(own, 0xa);
    config_->shards = kPartitions;
    if (up_to(1) == 1) give_distances();
    nis_.apply(*config_);
    PeerNid& known = peers_.use(theirs.front());
    peers_.set_peer_entry(known, std::make_shared<const PeerEntry>(PeerEntry{theirs, true}));
    target_ = theirs.front();
    rails_ = &peers_.rails_of(known, *config_);
    give_policies();
  }

  /// Random changes, as by other messages, failures and recoveries.
  void change() {
    for (LocalNi* ni : nis_.configured()) {
      if (ni->loopback()) continue;
      if (up_to(3) == 0) ni->health = one_of({0, 500, kHealthMax});
      if (up_to(3) == 0) ni->fatal = up_to(3) == 0;
      if (up_to(3) == 0) ni->tx = Gate(up_to(1) + 250);
    }
    for_each_rail([&](PeerNet&, Rail& rail) {
      if (up_to(3) == 0) rail.nid->health = one_of({0, 900, kHealthMax});
      if (up_to(3) == 0) rail.nid->elsewhere = up_to(1);
    });
  }

  /// Chooses a path by select() and by the model, and expects the same.
  void send(const std::string& when) {
    const std::int32_t memory = static_cast<std::int32_t>(up_to(kPartitions)) - 1;
    const SendIntent intent{target_, Pid::lustre(), Nid::any(), peers_.find(target_),
                            rails_,  false,         memory};
    Explanation why;
    const Choice choice = select(nis_, intent, up_to(1) == 1 ? &why : nullptr);
    PeerNet* const net = best_net();
    if (net == nullptr) {
      EXPECT_EQ(choice.status, -EHOSTUNREACH) << when;
      return;
    }
    ASSERT_EQ(choice.status, 0) << when;
    LocalNi* const ni = best_ni(*nis_.find(net->id), memory);
    Rail* const rail = best_rail(*net, *ni);
    EXPECT_EQ(choice.ni->nid().to_string(), ni->nid().to_string()) << when;
    EXPECT_EQ(choice.hop.nid.to_string(), rail->nid->nid.to_string()) << when;
    take_turn(nis_, choice);
    ++their_turns_;
    ++own_turns_;
    nid_turn_[rail->nid->nid] = their_net_turn_[net->id.to_string()] = their_turns_;
    ni_turn_[ni->nid()] = own_net_turn_[net->id.to_string()] = own_turns_;
  }

 private:
  std::uint8_t up_to(std::uint32_t most) {
    return static_cast<std::uint8_t>(random_.below(most + 1));
  }
  std::int32_t one_of(const std::array<std::int32_t, 3>& values) { return values[up_to(2)]; }
  void give_distances() {
    for (std::uint32_t i = 0; i < kPartitions * kPartitions; ++i)
      config_->distances.push_back(10 * (1 + up_to(2)));
    for (NiConfig& ni : config_->nis) ni.dev_cpt = static_cast<std::int32_t>(up_to(3)) - 1;
    config_->globals.numa_range = one_of({0, 20, 1000});
  }
  /// Sets random priorities and preferences directly, without rules.
  void give_policies() {
    const auto priority = [&] { return up_to(2) != 0 ? udsp::kNoPriority : up_to(1); };
    for (LocalNi* ni : nis_.configured()) {
      ni->priority = priority();
      ni->net->priority = priority();
    }
    for_each_rail([&](PeerNet& net, Rail& rail) {
      net.priority = priority();
      rail.priority = priority();
      for (const LocalNi* ni : nis_.configured())
        if (up_to(5) == 0) rail.preferred.push_back(ni->config.id);
    });
  }
  template <class Fn>
  void for_each_rail(Fn&& fn) {
    for (PeerNet& net : rails_->nets)
      for (Rail& rail : net.rails) fn(net, rail);
  }

  // ---- the model: the first candidate with the least key

  template <class List, class Key>
  static auto least(const List& list, Key key) {
    auto best = list.front();
    for (const auto& one : list)
      if (key(one) < key(best)) best = one;
    return best;
  }
  PeerNet* best_net() {
    std::vector<PeerNet*> common;
    for (PeerNet& net : rails_->nets)
      if (nis_.find(net.id) != nullptr) common.push_back(&net);
    if (common.empty()) return nullptr;
    return least(common, [&](PeerNet* net) {
      const LocalNet& local = *nis_.find(net->id);
      std::int32_t theirs = 0, ours = 0;
      for (const Rail& rail : net->rails) theirs = std::max(theirs, rail.nid->health);
      for (const LocalNi* ni : local.nis) ours = std::max(ours, ni->fatal ? 0 : ni->health);
      const std::string name = net->id.to_string();
      return std::tuple(-theirs, net->priority, -ours, local.priority, their_net_turn_[name],
                        own_net_turn_[name]);
    });
  }
  LocalNi* best_ni(const LocalNet& net, std::int32_t memory) {
    return least(net.nis, [&](LocalNi* ni) {
      return std::tuple(ni->fatal, -ni->health, ni->priority, distance(*ni, memory),
                        -ni->tx.credits(), ni_turn_[ni->nid()]);
    });
  }
  /// spec/core-semantics.md 13.4. Memory of unknown partition is equally far from all NIs.
  std::uint32_t distance(const LocalNi& ni, std::int32_t memory) const {
    if (memory < 0 || config_->distances.empty()) return 0;
    std::uint32_t far = 0;
    for (const std::uint32_t each : config_->distances) far = std::max(far, each);
    if (ni.config.dev_cpt >= 0)
      far = config_->distances.at(static_cast<std::size_t>(memory) * kPartitions +
                                  static_cast<std::size_t>(ni.config.dev_cpt));
    return std::max(far, static_cast<std::uint32_t>(config_->globals.numa_range));
  }
  Rail* best_rail(PeerNet& net, const LocalNi& ni) {
    std::vector<Rail*> all;
    for (Rail& rail : net.rails) all.push_back(&rail);
    return least(all, [&](Rail* rail) {
      const auto& list = rail->preferred;
      const bool preferred = std::count(list.begin(), list.end(), ni.config.id) != 0;
      const std::int32_t left = ni.config.tunables.peer_credits - rail->nid->elsewhere;
      return std::tuple(-rail->nid->health, rail->priority, !preferred, -left,
                        nid_turn_[rail->nid->nid]);
    });
  }

  Rng random_;
  std::shared_ptr<NodeConfig> config_;
  NiTable nis_;
  PeerTable peers_;
  Rails* rails_ = nullptr;
  Nid target_;
  std::uint64_t their_turns_ = 0, own_turns_ = 0;
  std::map<Nid, std::uint64_t> nid_turn_, ni_turn_;
  std::map<std::string, std::uint64_t> their_net_turn_, own_net_turn_;
};

TEST(SelectModel, RandomTablesMatchTheModel) {  // spec/multirail.md 3.2, 3.2.D
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    Model world(seed);
    for (int message = 0; message < 30; ++message) {
      if (message % 3 == 2) world.change();
      world.send("seed " + std::to_string(seed) + ", message " + std::to_string(message));
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace ulnet::core::test
