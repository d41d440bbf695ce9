// The order in which the hosts of a site are asked, and the repetition of questions. Even on a
// healthy site a ping may be lost, and a route may be down for a while. So failed questions are
// repeated, and a failure counts only if it failed each time. Without I/O and clock: questions out,
// answers in. fgr/hosts/ask.h asks real hosts, simulated_hosts_fixture.h those of tests.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fgr/verify/verify.h"
#include "lnet/base/time.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

/// A host that is to be asked.
struct AskedOne {
  /// index in VerifyChecks::hosts; nothing: its NIDs show which host it is
  std::optional<std::size_t> host;
  std::string way;  ///< how it is reached, for people: "ssh:nid00750"
};
/// A question to one of them. It must be answered before the same host is asked anything else.
struct Question {
  std::size_t whom = 0;
  /// at most Asking::kPingsAtOnce; empty: the question is about the host's configuration
  std::vector<PingTarget> pings;
};
struct AskProgress {
  std::size_t hosts = 0, of_hosts = 0;  ///< hosts whose answers are complete
  std::size_t pings = 0, of_pings = 0;  ///< pings that were made once
  std::size_t again = 0;                ///< hosts with a failed question that is repeated
};
struct Asked {
  std::vector<HostSeen> seen;      ///< an entry for each of the hosts of the checks
  std::vector<std::string> notes;  ///< sentences about questions that were not asked, in order
};

/// Not thread-safe.
class Asking {
 public:
  static constexpr std::size_t kPingsAtOnce = 8;

  /// Asks each of `ones` in turn; no host twice. Failed questions are repeated `retries` times: a
  /// second after the first time, then after two more, four, eight, ...; first questions take
  /// precedence. `checks` must outlive this object.
  Asking(const VerifyChecks& checks, std::vector<AskedOne> ones, unsigned retries);

  /// Returns the next question, if there is one to ask at `now`. Otherwise see next_at().
  std::optional<Question> next(Instant now);
  /// Returns when the next question is to be asked, if no answer comes before. kNever: only an
  /// answer leads to more questions.
  Instant next_at() const;
  /// Whether all questions were asked and answered.
  bool done() const { return progress_.hosts == ones_.size(); }

  // Take the answer to a question, or the reason why the question has no answer.
  void configured(std::size_t whom, Result<HostSeen> answer, Instant now);
  void pinged(std::size_t whom, Result<std::vector<SeenPing>> answer, Instant now);

  AskProgress progress() const;
  /// Ends the asking. When it is not done(), `why` is the reason, as in "the time is over";
  /// failures that were not repeated often enough do not count then.
  Asked finish(const std::string& why);

 private:
  struct One : AskedOne {
    unsigned round = 0;             ///< 0 is the first
    bool over = false;              ///< no more questions
    bool wants_state = true;        ///< its configuration is to be asked in this round
    unsigned states = 0;            ///< how often it has reported its configuration
    std::vector<std::size_t> todo;  ///< in checks_.pings[host]: the pings of this round, last first
    std::vector<std::size_t> asked;  ///< pings of the open question
    /// `pings` as in the checks; asked == 0 for those that were not made
    HostSeen seen;
    std::string trouble;  ///< why the last pings were not made
  };

  void merge_state(One& one, HostSeen answer) const;
  bool know_host(std::size_t whom);
  std::optional<std::size_t> identify_host(const HostSeen& seen) const;
  void go_on(std::size_t whom, Instant now);
  void end(std::size_t whom);
  void note(std::string text) { notes_.push_back(std::move(text)); }
  void take_over(One& one, const std::string& why);

  const VerifyChecks& checks_;
  const unsigned retries_;
  std::vector<One> ones_;
  std::set<std::pair<unsigned, std::size_t>> ready_;   ///< by round, number in ones_
  std::set<std::pair<Instant, std::size_t>> waiting_;  ///< by the time of the next question
  std::vector<char> known_;                            ///< hosts that one of ones_ is
  std::vector<std::string> notes_;
  AskProgress progress_;
};

}  // namespace ulnet::plan
