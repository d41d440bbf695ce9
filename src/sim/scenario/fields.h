// Reading a YAML mapping key by key: what is asked for is taken, what is wrong is written down with
// its place, and what nobody asked for is unknown. So that a file is told all its mistakes at once.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "conf/yaml_node.h"
#include "sim/scenario/quantity.h"

namespace ulnet::sim {

struct Mistake {
  conf::Place place;
  std::string reason;
};
using Mistakes = std::vector<Mistake>;

class Fields {
 public:
  /// `what` names the mapping in reasons: "node". All must outlive it.
  Fields(const conf::YamlNode& map, std::string_view what, Mistakes& mistakes);
  /// Writes down the keys that nobody took.
  ~Fields();
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  /// Null when it is not there.
  const conf::YamlNode* take(std::string_view key);
  /// As take(), and a mistake when it is not there.
  const conf::YamlNode* need(std::string_view key);

  // Each leaves `out` alone when the key is not there or is wrong. False: not there, or wrong.
  bool text(std::string_view key, std::string& out);
  bool duration(std::string_view key, Duration& out);
  bool truth(std::string_view key, bool& out);
  bool chance(std::string_view key, std::uint32_t& out);
  bool rate(std::string_view key, std::uint64_t& out);
  bool number(std::string_view key, std::uint64_t& out, std::uint64_t least = 0,
              std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  bool number(std::string_view key, std::uint32_t& out, std::uint32_t least, std::uint32_t most);
  bool number(std::string_view key, std::int32_t& out, std::int64_t least, std::int64_t most);

  const conf::YamlNode& map() const { return map_; }
  void wrong(const conf::YamlNode& value, std::string reason) const;

 private:
  template <class Out, class Parse>
  bool parsed(std::string_view key, Out& out, Parse&& parse);

  const conf::YamlNode& map_;
  const std::string what_;
  Mistakes& mistakes_;
  std::vector<bool> taken_;
};

/// The place of the key that `value` belongs to, if it has one.
conf::Place place_of(const conf::YamlNode& value);

}  // namespace ulnet::sim
