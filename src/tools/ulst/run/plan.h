// What `ulst run` is told to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "tools/shell/arguments.h"
#include "tools/ulst/test_params.h"

namespace ulnet::tools::lst::run {

enum class Operation : std::uint8_t { kPing, kRead, kWrite };

/// One test, run for the plan's time, then the next one.
struct Step {
  Operation operation = Operation::kRead;
  std::uint32_t size = 0;  ///< bytes; of a ping none
  bool operator==(const Step&) const = default;
};
/// "ping", "read 64k".
std::string title_of(const Step& step);
/// "64k", "1M", "24".
std::string size_text(std::uint32_t bytes);

/// What a client may do at most. Both at once are never set.
struct Limits {
  std::optional<double> bytes_per_s;
  std::optional<double> rpcs_per_s;
  std::optional<std::uint32_t> concurrency;  ///< RPCs of a client at a time, to all its servers
};

enum class Format : std::uint8_t { kTable, kJson, kCsv };
/// Clients and servers all at once; each client with each server, one pair after the other; all at
/// once, over many sizes.
enum class Shape : std::uint8_t { kTogether, kMatrix, kSweep };

struct Plan {
  std::vector<std::string> from, to;  ///< process ids
  std::vector<Step> steps;
  Duration time = std::chrono::seconds(10);  ///< of each step
  Duration interval = std::chrono::seconds(1);
  std::uint32_t concurrency = 8;  ///< RPCs of a client at a time, to each of its servers
  std::string check = "none";
  Distribution spread;
  Limits limits;
  int timeout = 100;            ///< seconds that a node may be silent
  bool nodes_are_safe = false;  ///< from what stops some production nodes: the user answers for it
  bool force = false;
  Format format = Format::kTable;
  Shape shape = Shape::kTogether;
  std::string svg;    ///< the file for the picture; empty: none
  std::string place;  ///< of a part in a larger whole, for who watches: "pair 2 of 6: "
};

/// The options that make a plan. Nothing when one is wrong: that has been said.
std::optional<Arguments> plan_arguments(const Words& words);
/// -EINVAL with a sentence for the user.
Result<Plan> plan_of(const Arguments& arguments);

}  // namespace ulnet::tools::lst::run
