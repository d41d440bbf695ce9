// A number that names one life of a node: the wall clock in nanoseconds, but always larger than any
// used before, also when the clock was stepped back. Peers tell a restart by it. Source:
// spec/wire-socklnd.md 8, spec/wire-lnet.md 2.5.
#pragma once

#include <cstdint>
#include <string>

namespace ulnet::node {

class Incarnations {
 public:
  /// `folder`: where the last number of the node `name` is kept over restarts; empty: nowhere.
  Incarnations(const std::string& folder, const std::string& name);

  /// Larger than every number that this process or (with a folder) this node used before. One
  /// thread at a time.
  std::uint64_t next();
  /// Notes a number that somebody else gave out. A folder that cannot be written is no error: the
  /// clock usually grows.
  void used(std::uint64_t number);
  std::uint64_t last() const { return last_; }

 private:
  void keep();
  std::string file_;
  std::uint64_t last_ = 0;
};

}  // namespace ulnet::node
