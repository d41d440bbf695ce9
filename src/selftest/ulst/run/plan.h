// The options of `ulst run` as a plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lnet/base/time.h"
#include "selftest/ulst/test_params.h"
#include "text/shell/arguments.h"

namespace ulnet::tools::lst::run {

enum class Operation : std::uint8_t { kPing, kRead, kWrite };

/// One test. Tests run one after the other, each for the plan's time.
struct Step {
  Operation operation = Operation::kRead;
  std::uint32_t size = 0;  ///< bytes; 0 for a ping
  bool operator==(const Step&) const = default;
};
/// Returns the title of a test: "ping", "read 64k".
std::string title_of(const Step& step);
/// Formats a size: "64k", "1M", "24".
std::string size_text(std::uint32_t bytes);

/// Limits for each client. bytes_per_s and rpcs_per_s are never both set.
struct Limits {
  std::optional<double> bytes_per_s;
  std::optional<double> rpcs_per_s;
  std::optional<std::uint32_t> concurrency;  ///< RPCs at a time, to all its servers
};

enum class Format : std::uint8_t { kTable, kJson, kCsv };
/// kTogether: all clients and servers at once. kMatrix: each client with each server, pair after
/// pair. kSweep: all clients and servers at once, over many sizes.
enum class Shape : std::uint8_t { kTogether, kMatrix, kSweep };

struct Plan {
  std::vector<std::string> from, to;         ///< process ids
  std::map<std::string, std::string> names;  ///< names of nodes, by process id
  std::vector<Step> steps;
  Duration time = std::chrono::seconds(10);  ///< time of each step
  Duration interval = std::chrono::seconds(1);
  std::uint32_t concurrency = 8;  ///< RPCs of a client at a time, to each of its servers
  std::string check = "none";
  Distribution spread;
  Limits limits;
  int timeout = 100;  ///< seconds that a node may be silent before it is lost
  /// After a failed RPC a unit stops; false: it sends the next one.
  bool stop_on_error = false;
  /// The user confirms that such a test does not stop any of the nodes.
  bool nodes_are_safe = false;
  bool force = false;
  Format format = Format::kTable;
  Shape shape = Shape::kTogether;
  std::string svg;    ///< file for the picture; empty: none
  std::string place;  ///< what precedes the display of a part of a run: "pair 2 of 6: "
};

/// Returns "10.0.0.1@tcp" for "12345-10.0.0.1@tcp".
std::string short_id(const std::string& id);
/// Returns a node as people read it: "10.0.0.1@tcp (client1)", without a name if the plan has none.
/// `id` is its process id, or short_id() of the process id.
std::string shown(const Plan& plan, const std::string& id);
/// Returns the name of a node; empty: the plan has no name for it.
std::string name_of(const Plan& plan, const std::string& id);

/// Parses the options of a plan. Returns nothing, after a message, when an option is wrong.
std::optional<Arguments> plan_arguments(const Words& words);
/// Makes a plan from the options; -EINVAL with a sentence for the user.
Result<Plan> plan_of(const Arguments& arguments);

}  // namespace ulnet::tools::lst::run
