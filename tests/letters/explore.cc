#include "explore.h"

#include <functional>

namespace ulnet::core::letters {

namespace {

/// The error `wrong`, the moves that lead to it, and the last state, as text.
std::string tell(const MakeStreet& make, const std::vector<Move>& path, const std::string& wrong) {
  std::string text = wrong;
  const auto street = make();
  for (const Move& move : path) {
    text += "\n  " + street->name_of(move);
    street->make(move);
  }
  return text + "\n" + street->text();
}

}  // namespace

Explored explore_all(const MakeStreet& make) {
  Explored result;
  std::unordered_set<std::size_t> seen;     // hashes of the states
  std::vector<std::vector<Move>> open{{}};  // lists of moves still to be played
  while (!open.empty() && result.wrong.empty()) {
    std::vector<Move> path = std::move(open.back());
    open.pop_back();
    const auto street = make();
    for (const Move& move : path) street->make(move);
    // Goes on with the first move as long as the state is new; the other moves are played later.
    while (seen.insert(std::hash<std::string>{}(street->text())).second) {
      const std::vector<Move> moves = street->moves();
      if (moves.empty()) {
        ++result.ends;
        if (const std::string wrong = street->verdict(); !wrong.empty())
          result.wrong = tell(make, path, wrong);
        break;
      }
      for (std::size_t i = 1; i < moves.size(); ++i) {
        open.push_back(path);
        open.back().push_back(moves[i]);
      }
      path.push_back(moves.front());
      street->make(moves.front());
    }
  }
  result.states = seen.size();
  return result;
}

Explored play(const MakeStreet& make, Rng rng) {
  Explored result;
  const auto street = make();
  std::vector<Move> path;
  for (auto moves = street->moves(); !moves.empty(); moves = street->moves()) {
    path.push_back(moves[rng.below(moves.size())]);
    street->make(path.back());
    ++result.states;
  }
  ++result.ends;
  if (const std::string wrong = street->verdict(); !wrong.empty())
    result.wrong = tell(make, path, wrong);
  return result;
}

}  // namespace ulnet::core::letters
