#include "story.h"

#include <algorithm>

#include "lnet/core/contract/nids_fixture.h"
#include "sim/checkers/all.h"
#include "sim/kernel/event_words.h"

namespace ulnet::sim {
namespace {

NodeSetup setup(const char* name, std::uint32_t host, const Given& given,
                const lnd::sock::SockTunables& sock) {
  NodeSetup made;
  made.name = name;
  made.nis = {{.nid = tcp(host), .tunables = given.tunables}};
  made.driver = given.driver;
  made.globals = given.globals;
  made.sock = sock;
  made.handler_delay = given.handler_delay;
  return made;
}

}  // namespace

// ---- an MD and its events -----------------------------------------------------------------------

std::string Lent::reported() const {
  std::string text;
  for (const Event& each : events) {
    if (!text.empty()) text += ", ";
    text += to_string(each.type);
    if (each.status != 0) text += " " + std::to_string(each.status);
    if (each.unlinked) text += " (last)";
  }
  return text;
}

const Event& Lent::event(EventType type) const {
  static const Event none;
  const auto found =
      std::find_if(events.begin(), events.end(), [&](const Event& e) { return e.type == type; });
  EXPECT_TRUE(found != events.end()) << reported();
  return found == events.end() ? none : *found;
}

std::size_t Lent::filled_with(char byte) const {
  return static_cast<std::size_t>(
      std::find_if(memory.begin(), memory.end(), [&](char c) { return c != byte; }) -
      memory.begin());
}

// ---- a person -----------------------------------------------------------------------------------

Lent& Person::lend(std::size_t bytes, char byte) {
  Lent& lent = *lent_.emplace_back(std::make_unique<Lent>());
  lent.memory.assign(bytes, byte);
  return lent;
}

MdSpec Person::spec(Lent& lent, std::size_t pieces) {
  fragments_.clear();
  const std::size_t piece = lent.memory.size() / pieces;
  for (std::size_t i = 0; i < pieces; ++i)
    fragments_.push_back({lent.memory.data() + i * piece, piece});
  MdSpec made;
  made.fragments = fragments_;
  made.sink = &lent;
  return made;
}

Lent& Person::posts(const Posting& what) {
  Lent& lent = lend(what.bytes, '.');
  const auto me = node.me_attach(what.portal, what.from, what.bits, what.ignore,
                                 UnlinkMode::kUnlink, what.position);
  lent.status = errno_of(me);
  if (!me) return lent;
  lent.me = *me;
  MdSpec md = spec(lent, what.pieces);
  md.options = what.options;
  md.max_size = what.max_size;
  md.threshold = what.threshold;
  const auto attached = node.md_attach(*me, md, what.unlink);
  lent.status = errno_of(attached);
  if (attached) lent.md = *attached;
  return lent;
}

Lent& Person::puts(const Sending& what) {
  Lent& lent = lend(what.bytes, what.byte);
  MdSpec md = spec(lent, 1);
  md.options = what.options;
  md.threshold = what.ack == AckRequest::kAck ? what.threshold : std::min(what.threshold, 1);
  PutRequest put;
  put.md = lent.md = node.md_bind(md, what.unlink).value();
  put.target = what.to;
  put.portal = what.portal;
  put.match_bits = what.bits;
  put.offset = what.offset;
  put.hdr_data = what.hdr_data;
  put.ack = what.ack;
  lent.status = errno_of(node.put(put));
  return lent;
}

Lent& Person::gets(const Sending& what) {
  Lent& lent = lend(what.bytes, '.');
  MdSpec md = spec(lent, 1);
  md.options = what.options;
  md.threshold = what.threshold;
  GetRequest get;
  get.md = lent.md = node.md_bind(md, what.unlink).value();
  get.target = what.to;
  get.portal = what.portal;
  get.match_bits = what.bits;
  get.offset = what.offset;
  lent.status = errno_of(node.get(get));
  return lent;
}

// ---- a story ------------------------------------------------------------------------------------

class Story::Listener final : public Checker {
 public:
  explicit Listener(std::vector<std::vector<Ending>>& endings)
      : Checker("listener", kAfterStep), endings_(endings) {}
  void after_step(World&, const ShardStep& step) override {
    const auto* done = std::get_if<core::SendDone>(&step.input);
    if (done == nullptr) return;
    endings_.resize(std::max<std::size_t>(endings_.size(), step.node.number() + 1));
    endings_[step.node.number()].push_back({done->status, done->health});
  }

 private:
  std::vector<std::vector<Ending>>& endings_;
};

Story::Story(const Given& given)
    : endings_(std::make_unique<std::vector<std::vector<Ending>>>(2)),
      world(1),
      alice(world, (add_all_checkers(world), world.add<Listener>(*endings_),
                    world.add_node(setup("alice", 1, given, given.alice_sock)))),
      bob(world, world.add_node(setup("bob", 2, given, given.bob_sock))) {
  knows(alice, bob.node.nid());
  knows(bob, alice.node.nid());
}

Story::~Story() {
  if (world.violation()) ADD_FAILURE() << world.explain();
}

void Story::comes_to_rest() {
  EXPECT_TRUE(world.run_until_quiet({.time = std::chrono::minutes(30)}).reached())
      << world.explain();
}

const std::vector<Ending>& Story::endings(const Person& person) const {
  return (*endings_)[person.node.number()];
}

}  // namespace ulnet::sim
