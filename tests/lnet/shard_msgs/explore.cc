#include "explore.h"

#include <functional>

namespace ulnet::core::shard_msgs {

namespace {

/// The error `wrong`, the moves that lead to it, and the last state, as text.
std::string describe(const MakeNode& make, const std::vector<Move>& path,
                     const std::string& wrong) {
  std::string text = wrong;
  const auto node = make();
  for (const Move& move : path) {
    text += "\n  " + node->name_of(move);
    node->make(move);
  }
  return text + "\n" + node->text();
}

}  // namespace

Explored explore_all(const MakeNode& make) {
  Explored result;
  std::unordered_set<std::size_t> seen;     // hashes of the states
  std::vector<std::vector<Move>> open{{}};  // lists of moves still to be played
  while (!open.empty() && result.wrong.empty()) {
    std::vector<Move> path = std::move(open.back());
    open.pop_back();
    const auto node = make();
    for (const Move& move : path) node->make(move);
    // Plays the first move as long as the state is new; the other moves are played later.
    while (seen.insert(std::hash<std::string>{}(node->text())).second) {
      const std::vector<Move> moves = node->moves();
      if (moves.empty()) {
        ++result.ends;
        if (const std::string wrong = node->verdict(); !wrong.empty())
          result.wrong = describe(make, path, wrong);
        break;
      }
      for (std::size_t i = 1; i < moves.size(); ++i) {
        open.push_back(path);
        open.back().push_back(moves[i]);
      }
      path.push_back(moves.front());
      node->make(moves.front());
    }
  }
  result.states = seen.size();
  return result;
}

Explored play(const MakeNode& make, Rng rng) {
  Explored result;
  const auto node = make();
  std::vector<Move> path;
  for (auto moves = node->moves(); !moves.empty(); moves = node->moves()) {
    path.push_back(moves[rng.below(moves.size())]);
    node->make(path.back());
    ++result.states;
  }
  ++result.ends;
  if (const std::string wrong = node->verdict(); !wrong.empty())
    result.wrong = describe(make, path, wrong);
  return result;
}

}  // namespace ulnet::core::shard_msgs
