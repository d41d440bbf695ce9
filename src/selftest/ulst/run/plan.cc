#include "selftest/ulst/run/plan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "selftest/ulst/ids.h"
#include "ulnet/nid.hpp"

namespace ulnet::tools::lst::run {

namespace {

/// The PID that is left out when a process id is shown.
constexpr std::string_view kUsual = "12345-";
constexpr std::uint32_t kConcurrencyMax = 1024;
constexpr std::int64_t kStandardSize = 1 << 20;
/// Smaller sizes stop production nodes (spec/wire-selftest.md 4.2).
constexpr std::uint32_t kMinSize = 8;
/// LNet can deliver a message after an outage of a minute and more. After this time a node with the
/// default time-out has ended the session (spec/wire-selftest.md 1.3).
constexpr std::uint32_t kTimeout = 100, kTimeoutMax = 3600;
/// The time of each test of a matrix or a sweep, which has many tests.
constexpr Duration kShortTime = std::chrono::seconds(2);
constexpr Duration kMinTime = std::chrono::milliseconds(100), kTimeMax = std::chrono::hours(24);
/// Nodes leave a session whose console is silent for longer.
constexpr Duration kIntervalMax = std::chrono::seconds(20);
constexpr Duration kMinInterval = std::chrono::milliseconds(100);

struct Unit {
  std::string_view name;
  double scale;
};

/// Parses a positive number followed by one of these units.
std::optional<double> scaled(std::string_view text, std::initializer_list<Unit> units) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !(number > 0)) return std::nullopt;
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& unit : units)
    if (unit.name == name) return number * unit.scale;
  return std::nullopt;
}

Error wrong(std::string_view option, std::string_view text, std::string_view what) {
  return {-EINVAL,
          "--" + std::string(option) + " " + std::string(text) + ": not " + std::string(what)};
}

Result<Duration> time_in(const Arguments& arguments, const char* name, Duration otherwise,
                         Duration least, Duration most) {
  const auto text = arguments.value(name);
  if (!text) return otherwise;
  const auto seconds = scaled(*text, {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}});
  if (!seconds || *seconds > 1e6) return tl::unexpected(wrong(name, *text, "a time (10s, 500ms)"));
  const Duration time =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
  if (time < least || time > most)
    return tl::unexpected(wrong(name, *text, "a time within the limits"));
  return time;
}

Result<std::uint32_t> count_in(const Arguments& arguments, const char* name,
                               std::uint32_t otherwise, std::uint32_t most) {
  if (!arguments.has(name)) return otherwise;
  const auto number = arguments.number(name);
  if (number && *number >= 1 && static_cast<std::uint32_t>(*number) <= most)
    return static_cast<std::uint32_t>(*number);
  return tl::unexpected(
      wrong(name, *arguments.value(name), "a number from 1 to " + std::to_string(most)));
}

/// Returns the nodes of an option that may be repeated.
Result<std::vector<std::string>> nodes_in(const Arguments& arguments, const char* name) {
  std::vector<std::string> all;
  for (const std::string& word : arguments.values(name)) {
    const auto ids = expand_ids(word);
    if (!ids) return tl::unexpected(ids.error());
    for (const std::string& id : *ids)
      if (std::ranges::find(all, id) == all.end()) all.push_back(id);
  }
  if (all.empty()) return fail(-EINVAL, "--" + std::string(name) + " NIDS is missing");
  return all;
}

/// Reads `--name NID=NAME`, which may be repeated.
Result<std::map<std::string, std::string>> names_in(const Arguments& arguments) {
  std::map<std::string, std::string> names;
  for (const std::string& word : arguments.values("name")) {
    const std::size_t equals = word.find('=');
    const std::string name = equals == word.npos ? "" : word.substr(equals + 1);
    const auto ids = expand_ids(word.substr(0, equals));
    if (name.empty() || name.find(',') != name.npos || !ids || ids->size() != 1)
      return tl::unexpected(wrong("name", word, "NID=NAME, without a comma"));
    names[ids->front()] = name;
  }
  return names;
}

/// Refuses servers whose address is not short. A text that is not a process id passes, because the
/// console refuses it.
Result<void> check_servers(const std::vector<std::string>& ids) {
  for (const std::string& id : ids)
    if (const auto parsed = ProcessId::parse(id); parsed && !parsed->nid.is_small())
      return fail(-EINVAL, "--to " + id +
                               ": selftest names servers and consoles by 4-byte addresses; a node "
                               "that has IPv6 only can be neither");
  return {};
}

Result<std::vector<std::uint32_t>> sizes_in(const Arguments& arguments) {
  std::vector<std::uint32_t> sizes;
  for (const std::string& list : arguments.values("sizes")) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      const auto size = parse_size(std::string_view(list).substr(at, comma - at));
      if (!size) return tl::unexpected(size.error());
      sizes.push_back(static_cast<std::uint32_t>(*size));
      at = comma + 1;
    }
  }
  if (sizes.empty() && arguments.has("sweep"))
    for (std::uint32_t size = kMinSize; size <= kStandardSize; size *= 2) sizes.push_back(size);
  if (sizes.empty()) sizes.push_back(kStandardSize);
  return sizes;
}

Result<std::vector<Step>> steps_in(const Arguments& arguments) {
  const auto sizes = sizes_in(arguments);
  if (!sizes) return tl::unexpected(sizes.error());
  const bool ping = arguments.has("ping"), write = arguments.has("write");
  // Without --read and --write, ulst measures reads; with --sweep reads and writes. With --ping
  // alone it measures only pings; it adds reads if --sizes or --sweep is given.
  const bool sizes_wanted = !ping || arguments.has("sizes") || arguments.has("sweep");
  const bool read = arguments.has("read") || (sizes_wanted && !write);
  const bool both = arguments.has("sweep") && !arguments.has("read") && !write;
  std::vector<Step> steps;
  if (ping) steps.push_back({Operation::kPing, 0});
  if (read)
    for (const std::uint32_t size : *sizes) steps.push_back({Operation::kRead, size});
  if (write || both)
    for (const std::uint32_t size : *sizes) steps.push_back({Operation::kWrite, size});
  return steps;
}

Result<Limits> limits_in(const Arguments& arguments, const Plan& plan) {
  Limits limits;
  if (arguments.has("max-concurrency")) {
    const auto most = count_in(arguments, "max-concurrency", 1, kConcurrencyMax);
    if (!most) return tl::unexpected(most.error());
    limits.concurrency = *most;
    if (*most < plan.spread.servers)
      return fail(-EINVAL, "--max-concurrency: a client has an RPC under way to each of its " +
                               std::to_string(plan.spread.servers) + " servers (--distribute)");
  }
  if (const auto text = arguments.value("max-rate")) {
    limits.rpcs_per_s = scaled(*text, {{"", 1}});
    const double k = 1 << 10, m = 1 << 20, g = 1 << 30;
    limits.bytes_per_s =
        scaled(*text, {{"k", k}, {"K", k}, {"m", m}, {"M", m}, {"g", g}, {"G", g}});
    if (!limits.rpcs_per_s && !limits.bytes_per_s)
      return tl::unexpected(wrong("max-rate", *text, "a rate (100M: MiB/s; 100: RPC/s)"));
    const bool pings = plan.steps.front().operation == Operation::kPing;
    if (pings && limits.bytes_per_s)
      return fail(-EINVAL, "--max-rate: a ping moves no data; its limit is RPC/s, without a unit");
  }
  return limits;
}

}  // namespace

std::string size_text(std::uint32_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + "M";
  if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) return std::to_string(bytes >> 10) + "k";
  return std::to_string(bytes);
}

std::string short_id(const std::string& id) {
  return id.starts_with(kUsual) ? id.substr(kUsual.size()) : id;
}

std::string name_of(const Plan& plan, const std::string& id) {
  for (const std::string& key : {id, std::string(kUsual) + id})
    if (const auto found = plan.names.find(key); found != plan.names.end()) return found->second;
  return "";
}

std::string shown(const Plan& plan, const std::string& id) {
  const std::string name = name_of(plan, id);
  return short_id(id) + (name.empty() ? "" : " (" + name + ")");
}

std::string title_of(const Step& step) {
  if (step.operation == Operation::kPing) return "ping";
  return (step.operation == Operation::kWrite ? "write " : "read ") + size_text(step.size);
}

std::optional<Arguments> plan_arguments(const Words& words) {
  return Arguments::parse(words, {{"from", 'f', Option::kValue},
                                  {"to", 't', Option::kValue},
                                  {"name", 0, Option::kValue},
                                  {"ping", 0, Option::kFlag},
                                  {"read", 'r', Option::kFlag},
                                  {"write", 'w', Option::kFlag},
                                  {"sizes", 's', Option::kValue},
                                  {"time", 0, Option::kValue},
                                  {"interval", 'i', Option::kValue},
                                  {"concurrency", 'c', Option::kValue},
                                  {"check", 0, Option::kValue},
                                  {"distribute", 'd', Option::kValue},
                                  {"max-rate", 0, Option::kValue},
                                  {"max-concurrency", 0, Option::kValue},
                                  {"timeout", 0, Option::kValue},
                                  {"stop-on-error", 0, Option::kFlag},
                                  {"nodes-are-safe", 0, Option::kFlag},
                                  {"force", 0, Option::kFlag},
                                  {"json", 0, Option::kFlag},
                                  {"csv", 0, Option::kFlag},
                                  {"matrix", 0, Option::kFlag},
                                  {"sweep", 0, Option::kFlag},
                                  {"svg", 0, Option::kValue}});
}

namespace {

Result<void> read_shape(const Arguments& arguments, Plan& plan) {
  const bool matrix = arguments.has("matrix"), sweep = arguments.has("sweep");
  if (matrix && sweep) return fail(-EINVAL, "--matrix or --sweep, not both");
  if (matrix && plan.steps.size() != 1)
    return fail(-EINVAL, "--matrix measures one test: --ping, --read or --write, and one size");
  if (matrix && plan.spread.servers != 1)
    return fail(-EINVAL, "--matrix measures pairs of nodes: --distribute has no meaning");
  if (matrix && plan.from.size() == 1 && plan.from == plan.to)
    return fail(-EINVAL, "--matrix measures pairs of different nodes: there is only " + plan.to[0]);
  if (arguments.has("svg") && !matrix && !sweep)
    return fail(-EINVAL, "--svg draws what --matrix or --sweep measures: give one of them");
  if (matrix) plan.shape = Shape::kMatrix;
  if (sweep) plan.shape = Shape::kSweep;
  plan.svg = arguments.value("svg").value_or("");
  return {};
}

/// Puts what was read where it belongs.
template <class To, class Value>
Result<void> put(To& to, Result<Value> read) {
  return read.map([&](Value& value) { to = static_cast<To>(std::move(value)); });
}

}  // namespace

Result<Plan> plan_of(const Arguments& arguments) {
  Plan plan;
  if (arguments.has("matrix") || arguments.has("sweep")) plan.time = kShortTime;
  for (const Result<void>& read :
       {put(plan.from, nodes_in(arguments, "from")), put(plan.to, nodes_in(arguments, "to")),
        check_servers(plan.to), put(plan.steps, steps_in(arguments)),
        put(plan.time, time_in(arguments, "time", plan.time, kMinTime, kTimeMax)),
        put(plan.interval,
            time_in(arguments, "interval", plan.interval, kMinInterval, kIntervalMax)),
        put(plan.concurrency,
            count_in(arguments, "concurrency", plan.concurrency, kConcurrencyMax)),
        put(plan.timeout, count_in(arguments, "timeout", kTimeout, kTimeoutMax)),
        put(plan.spread, parse_distribution(arguments.value("distribute").value_or("1:1")))})
    if (!read) return tl::unexpected(read.error());
  plan.check = arguments.value("check").value_or("none");
  if (plan.check != "none" && plan.check != "simple" && plan.check != "full" &&
      plan.check != "discard")
    return tl::unexpected(wrong("check", plan.check, "none, simple, full or discard"));
  if (arguments.has("json") && arguments.has("csv"))
    return fail(-EINVAL, "--json or --csv, not both");
  plan.force = arguments.has("force");
  plan.stop_on_error = arguments.has("stop-on-error");
  plan.nodes_are_safe = arguments.has("nodes-are-safe");
  if (arguments.has("json")) plan.format = Format::kJson;
  if (arguments.has("csv")) plan.format = Format::kCsv;
  for (const Result<void>& read :
       {put(plan.names, names_in(arguments)), read_shape(arguments, plan),
        put(plan.limits, limits_in(arguments, plan))})
    if (!read) return tl::unexpected(read.error());
  return plan;
}

}  // namespace ulnet::tools::lst::run
