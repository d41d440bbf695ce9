// The order of commands, and the life cycle of the session. The commands are in console_groups.cc
// and console_batches.cc.
#include "selftest/console/console.h"

namespace ulnet::svc::selftest::console {

namespace {

constexpr Duration kTick = std::chrono::seconds(8);
constexpr std::size_t kWaitingMax = 64;
constexpr const char* kFirstBatch = "batch";
/// Rounds of releasing a node. A node counts how often it was invited, and each round subtracts
/// one.
constexpr int kReleases = 4;

}  // namespace

Console::Console(Surroundings& surroundings) : surroundings_(surroundings) {}
Console::~Console() { *alive_ = false; }

void Console::enqueue(std::function<void(std::function<void()> over)> command,
                      const std::function<void(Error)>& refuse) {
  if (waiting_.size() >= kWaitingMax)
    return refuse({-EBUSY, "too many commands wait for this console"});
  waiting_.push_back(std::move(command));
  next();
}

void Console::next() {
  if (starting_) return;
  starting_ = true;
  const std::shared_ptr<bool> alive = alive_;
  while (*alive && !busy_ && !waiting_.empty()) {
    const auto command = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    command([this, alive] {
      if (!*alive) return;
      busy_ = false;
      next();
    });
  }
  if (*alive) starting_ = false;
}

Result<SessionPtr> Console::session_of(std::uint32_t key) {
  if (session_ == nullptr) return fail(-ESRCH, "No session exists");
  if (session_->ending) return fail(-ESHUTDOWN, "Session is shutting down");
  if (session_->key != key) return fail(-EACCES, "Unmatched session key or not root");
  session_->used = surroundings_.now();
  return session_;
}

void Console::ask(const SessionPtr& session, const Members& members, const Patience& patience,
                  const std::function<NodeRequest(std::size_t)>& request,
                  std::function<void(NodeResults)> done) {
  ask_all(surroundings_, session, members, patience, request,
          [alive = alive_, done = std::move(done)](NodeResults results) {
            if (*alive) done(std::move(results));
          });
}

Result<SessionShown> Console::show_session() const {
  if (session_ == nullptr) return fail(-ESRCH, "No session exists");
  return SessionShown{*session_, session_->id, session_->members.size()};
}

void Console::new_session(const SessionAsked& asked, Done<SessionShown> done) {
  enqueue_with<SessionShown>(
      std::move(done), [this, asked](const Done<SessionShown>& finish) { begin(asked, finish); });
}

void Console::begin(const SessionAsked& asked, const Done<SessionShown>& done) {
  if (session_ != nullptr && !asked.force) return done(fail(-EEXIST, "session already exists"));
  if (asked.key == 0) return done(fail(-EINVAL, "a session's key is not 0"));
  if (asked.timeout == 0) return done(fail(-EINVAL, "Invalid timeout value"));
  if (const auto fits = check_name(asked.name); !fits) return done(tl::unexpected(fits.error()));
  if ((asked.features & ~wire::kLstFeatures) != 0)
    return done(fail(-EPROTO, "features that are not known"));
  const auto nid = surroundings_.nid();
  if (!nid) return done(tl::unexpected(nid.error()));
  if (session_ != nullptr)
    return end(session_, kReplyTimeout,
               [this, asked, done](const Result<NodeResults>&) { begin(asked, done); });
  session_ = std::make_shared<Session>();
  static_cast<SessionAsked&>(*session_) = asked;
  session_->id = {.console = *nid, .stamp = surroundings_.wall_ms()};
  session_->used = surroundings_.now();
  auto first = std::make_shared<Batch>();
  first->name = kFirstBatch;
  first->id = next_batch_++;
  session_->batches.push_back(std::move(first));
  tick();
  done(show_session());
}

void Console::end_session(std::uint32_t key, Done<NodeResults> done, const Patience& patience) {
  command(key, std::move(done),
          [this, patience](const SessionPtr& session, Done<NodeResults> finish) {
            end(session, patience, std::move(finish));
          });
}

void Console::end(const SessionPtr& session, const Patience& patience, Done<NodeResults> done) {
  session->ending = true;
  release(session, active_of(session->members), patience, kReleases, {},
          [this, session, done = std::move(done)](NodeResults results) {
            if (session_ == session) session_ = nullptr;
            done(std::move(results));
          });
}

void Console::release(const SessionPtr& session, const Members& members, const Patience& patience,
                      int rounds, NodeResults before, std::function<void(NodeResults)> done) {
  ask(
      session, members, patience,
      [session](std::size_t) {
        return NodeRequest{wire::LstRemoveSession{.session = session->id}};
      },
      [this, session, patience, rounds, before = std::move(before),
       done = std::move(done)](NodeResults results) mutable {
        Members again;
        for (NodeResult& result : results) {
          if (result.status == ESRCH) result.status = 0;
          if (result.member->state == NodeState::kActive && result.good() && rounds > 1)
            again.push_back(result.member);
          else
            before.push_back(std::move(result));
        }
        if (again.empty()) return done(std::move(before));
        release(session, again, patience, rounds - 1, std::move(before), std::move(done));
      });
}

void Console::debug(const SessionPtr& session, const Members& members, Duration patience,
                    std::function<void(NodeResults)> done) {
  ask(
      session, members, patience,
      [session](std::size_t) { return NodeRequest{wire::LstDebug{.session = session->id}}; },
      std::move(done));
}

/// Runs every kTick while the session exists. The run that ends the session does not arm the next
/// one.
void Console::tick() {
  surroundings_.after(kTick, [this, alive = alive_, session = session_] {
    if (!*alive || session_ != session || session->ending) return;
    const bool forgotten =
        !busy_ && surroundings_.now() - session->used >= std::chrono::seconds(session->timeout);
    if (forgotten) return end_session(session->key, [](const Result<NodeResults>&) {});
    ask_quiet();
    tick();
  });
}

void Console::ask_quiet() {
  for (const MemberPtr& member : session_->members) {
    if (member->state != NodeState::kActive || member->being_asked || member->timeout == 0)
      continue;
    const Duration quiet = surroundings_.now() - member->heard;
    if (quiet * 2 < std::chrono::seconds(member->timeout)) continue;
    member->being_asked = true;
    debug(session_, {member}, kReplyTimeout,
          [member](const NodeResults&) { member->being_asked = false; });
  }
}

}  // namespace ulnet::svc::selftest::console
