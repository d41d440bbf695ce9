// The order in which the hosts of a site are asked, and what is asked again: where nothing is wrong
// a ping can be lost all the same, and a route be down for a while. So what failed is asked again,
// and counts only if it failed each time. Without I/O and clock: questions out, answers in.
// fgr/hosts/ask.h asks real hosts, simulated_hosts.h those of tests.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fgr/verify/verify.h"
#include "lnet/base/time.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

/// Somebody who is to be asked.
struct AskedOne {
  std::optional<std::size_t> host;  ///< in VerifyChecks::hosts; nothing: its NIDs say which
  std::string way;                  ///< how it is reached, for people: "ssh:nid00750"
};
/// A question to one of them. It is to be answered before the same one is asked anything else.
struct Question {
  std::size_t whom = 0;
  std::vector<PingTarget> pings;  ///< at most Asking::kPingsAtOnce; none: what it has configured
};
struct AskProgress {
  std::size_t hosts = 0, of_hosts = 0;  ///< of which all is known
  std::size_t pings = 0, of_pings = 0;  ///< that were made once
  std::size_t again = 0;                ///< hosts at which something failed, and is asked again
};
struct Asked {
  std::vector<HostSeen> seen;      ///< an entry for each of the hosts of the checks
  std::vector<std::string> notes;  ///< sentences about what was not asked, in order
};

/// Not thread-safe.
class Asking {
 public:
  static constexpr std::size_t kPingsAtOnce = 8;

  /// Asks each `one` in turn; no host twice. What failed is asked again `retries` times: a second
  /// after the first time, then after two more, four, eight, ...; first questions go before.
  /// `checks` must outlive this.
  Asking(const VerifyChecks& checks, std::vector<AskedOne> ones, unsigned retries);

  /// The next question, when one is to be asked at `now`. Without one, see next_at().
  std::optional<Question> next(Instant now);
  /// When there is something to ask again, if no answer comes before; kNever: only after an answer.
  Instant next_at() const;
  /// All questions were asked and answered.
  bool done() const { return progress_.hosts == ones_.size(); }

  // The answer to a question, or why there was none.
  void configured(std::size_t whom, Result<HostSeen> answer, Instant now);
  void pinged(std::size_t whom, Result<std::vector<SeenPing>> answer, Instant now);

  AskProgress progress() const;
  /// The end. When it is not done(), `why` says it, as in "the time is over": what failed and was
  /// not asked again as often as it should be does not count then.
  Asked finish(const std::string& why);

 private:
  struct One : AskedOne {
    unsigned round = 0;             ///< 0 is the first
    bool over = false;              ///< nothing more is asked
    bool wants_state = true;        ///< what it has is to be asked in this round
    unsigned states = 0;            ///< how often it has said what it has
    std::vector<std::size_t> todo;  ///< in checks_.pings[host]: the pings of this round, last first
    std::vector<std::size_t> asked;  ///< those of the open question
    HostSeen seen;                   ///< `pings` as in the checks, those not made with asked == 0
    std::string trouble;             ///< why the last pings were not made
  };

  void merge_state(One& one, HostSeen answer) const;
  bool know_host(std::size_t whom);
  std::optional<std::size_t> who_is(const HostSeen& seen) const;
  void go_on(std::size_t whom, Instant now);
  void end(std::size_t whom);
  void note(std::string text) { notes_.push_back(std::move(text)); }
  void take_over(One& one, const std::string& why);

  const VerifyChecks& checks_;
  const unsigned retries_;
  std::vector<One> ones_;
  std::set<std::pair<unsigned, std::size_t>> ready_;   ///< by round, number in ones_
  std::set<std::pair<Instant, std::size_t>> waiting_;  ///< by when it is asked again
  std::vector<char> known_;                            ///< hosts: one of ones_ is it
  std::vector<std::string> notes_;
  AskProgress progress_;
};

}  // namespace ulnet::plan
