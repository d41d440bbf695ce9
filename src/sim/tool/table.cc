#include "sim/tool/table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lnet/core/contract/drop_reason.h"

namespace ulnet::tools {
namespace {

using nlohmann::json;
using sim::Report;

constexpr std::array kMessages = {"ACK", "PUT", "GET", "REPLY", "HELLO"};
constexpr std::array kEvents = {"", "GET", "PUT", "REPLY", "ACK", "SEND", "UNLINK"};

template <std::size_t kSize>
void add_to(std::array<std::uint64_t, kSize>& sums, const std::array<std::uint64_t, kSize>& more) {
  for (std::size_t i = 0; i < kSize; ++i) sums[i] += more[i];
}
void add_to(std::map<std::string, std::uint64_t>& sums,
            const std::map<std::string, std::uint64_t>& more) {
  for (const auto& [name, count] : more) sums[name] += count;
}

/// Names and their counts other than zero, several to a line.
class Section {
 public:
  explicit Section(std::string title) : title_(std::move(title)) {}
  void row(const std::string& name, std::uint64_t count, bool even_zero = false) {
    if (count == 0 && !even_zero) return;
    rows_.emplace_back(name, count);
  }
  std::string text() const {
    std::string out = title_ + "\n";
    if (rows_.empty()) return out + "    none\n";
    std::size_t width = 0;
    for (const auto& [name, count] : rows_) width = std::max(width, name.size());
    const std::size_t columns = std::max<std::size_t>(1, 96 / (width + 16));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i % columns == 0) out += "    ";
      out += fmt::format("{:<{}} {:>11}", rows_[i].first, width, rows_[i].second);
      out += i % columns + 1 == columns || i + 1 == rows_.size() ? "\n" : "   ";
    }
    return out;
  }

 private:
  std::string title_;
  std::vector<std::pair<std::string, std::uint64_t>> rows_;
};

template <class Enum, std::size_t kSize>
Section section(std::string title, const std::array<std::uint64_t, kSize>& counts) {
  Section rows(std::move(title));
  for (std::size_t i = 0; i < kSize; ++i) rows.row(to_string(static_cast<Enum>(i)), counts[i]);
  return rows;
}

json links(const std::vector<sim::LinkUse>& uses) {
  json all = json::array();
  for (const sim::LinkUse& use : uses)
    all.push_back({{"from", use.from},
                   {"to", use.to},
                   {"bytes_per_second", use.bytes_per_second},
                   {"pieces", use.counters.pieces},
                   {"bytes", use.counters.bytes},
                   {"lost", use.counters.lost},
                   {"highest_queue", use.counters.highest_queue},
                   {"busy_ns", use.counters.busy.count()},
                   {"over_ns", use.over.count()}});
  return all;
}

std::vector<sim::LinkUse> links(const json& all) {
  std::vector<sim::LinkUse> uses;
  for (const json& from : all) {
    sim::LinkUse use;
    from.at("from").get_to(use.from);
    from.at("to").get_to(use.to);
    from.at("bytes_per_second").get_to(use.bytes_per_second);
    from.at("pieces").get_to(use.counters.pieces);
    from.at("bytes").get_to(use.counters.bytes);
    from.at("lost").get_to(use.counters.lost);
    from.at("highest_queue").get_to(use.counters.highest_queue);
    use.counters.busy = Duration(from.at("busy_ns").get<std::int64_t>());
    use.over = Duration(from.at("over_ns").get<std::int64_t>());
    uses.push_back(std::move(use));
  }
  return uses;
}

json loads(const std::vector<sim::LoadResult>& results) {
  json all = json::array();
  for (const sim::LoadResult& result : results) {
    json series = json::array();
    for (const sim::Delivered& each : result.series)
      series.push_back({{"messages", each.messages}, {"bytes", each.bytes}});
    all.push_back({{"load", result.load},
                   {"begun", result.counts.begun},
                   {"delivered", result.counts.delivered},
                   {"failed", result.counts.failed},
                   {"forgotten", result.counts.forgotten},
                   {"series", std::move(series)}});
  }
  return all;
}

std::vector<sim::LoadResult> loads(const json& all) {
  std::vector<sim::LoadResult> results;
  for (const json& from : all) {
    sim::LoadResult result;
    from.at("load").get_to(result.load);
    from.at("begun").get_to(result.counts.begun);
    from.at("delivered").get_to(result.counts.delivered);
    from.at("failed").get_to(result.counts.failed);
    from.at("forgotten").get_to(result.counts.forgotten);
    for (const json& each : from.at("series"))
      result.series.push_back(
          {each.at("messages").get<std::uint64_t>(), each.at("bytes").get<std::uint64_t>()});
    results.push_back(std::move(result));
  }
  return results;
}

json object(const Report& report) {
  return {{"ending", static_cast<int>(report.ending)},
          {"checker", report.checker},
          {"what", report.what},
          {"unmet", report.unmet},
          {"digest", report.digest},
          {"steps", report.steps},
          {"age_ns", report.age.count()},
          {"shard_steps", report.shard_steps},
          {"messages", report.messages},
          {"events", report.events},
          {"lost", report.lost},
          {"duplicated", report.duplicated},
          {"streams", report.streams},
          {"node_changes", report.node_changes},
          {"drops", report.drops},
          {"acts", report.acts},
          {"marks", report.marks},
          {"delivered", report.delivered},
          {"failed", report.failed},
          {"loads", loads(report.loads)},
          {"switch_links", links(report.switch_links)}};
}

}  // namespace

void Totals::add(const Report& report) {
  ++runs_;
  sum_.steps += report.steps;
  sum_.shard_steps += report.shard_steps;
  sum_.age += report.age;
  sum_.duplicated += report.duplicated;
  sum_.delivered += report.delivered;
  sum_.failed += report.failed;
  add_to(sum_.messages, report.messages);
  add_to(sum_.events, report.events);
  add_to(sum_.lost, report.lost);
  add_to(sum_.streams, report.streams);
  add_to(sum_.node_changes, report.node_changes);
  add_to(sum_.drops, report.drops);
  add_to(sum_.acts, report.acts);
  add_to(sum_.marks, report.marks);
}

std::uint64_t Totals::messages() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : sum_.messages) sum += count;
  return sum;
}

std::string Totals::table() const {
  Section faults("Faults");
  Section loads("Operations");
  for (const auto& [word, count] : sum_.acts) {
    if (word.starts_with("fault ")) faults.row(word.substr(6), count);
    if (word.starts_with("load ")) loads.row(word.substr(5), count);
    if (word.starts_with("selftest ")) loads.row(word, count);
  }
  loads.row("delivered and right", sum_.delivered, true);
  loads.row("ended with an error", sum_.failed, true);
  Section messages("Messages handed to drivers");
  for (std::size_t i = 0; i < kMessages.size(); ++i) messages.row(kMessages[i], sum_.messages[i]);
  Section lost("Messages lost on the wire");
  for (std::size_t i = 0; i < sum_.lost.size(); ++i)
    lost.row(to_string(static_cast<sim::WireLoss>(i)), sum_.lost[i]);
  lost.row("(came twice)", sum_.duplicated);
  Section events("Events handled");
  for (std::size_t i = 1; i < kEvents.size(); ++i) events.row(kEvents[i], sum_.events[i]);
  std::size_t hit = 0;
  std::string missed;
  Section marks("Marks hit");
  for (const auto& [name, count] : sum_.marks) {
    hit += count != 0 ? 1 : 0;
    marks.row(name, count);
    if (count == 0) missed += (missed.empty() ? "" : ", ") + name;
  }
  std::string text = faults.text() + loads.text() + messages.text() + lost.text() + events.text();
  text += section<core::DropReason>("Messages dropped, by reason", sum_.drops).text();
  text += section<sim::NodeChange>("Changes of nodes", sum_.node_changes).text();
  text += section<sim::StreamChange>("Changes of streams", sum_.streams).text();
  text += marks.text();
  if (!missed.empty()) text += "Marks not hit\n    " + missed + "\n";
  text += fmt::format(
      "{} worlds, {} steps of worlds, {} of shards, {:.1f} virtual minutes; "
      "{} of {} marks hit\n",
      runs_, sum_.steps, sum_.shard_steps, std::chrono::duration<double>(sum_.age).count() / 60,
      hit, sum_.marks.size());
  return text;
}

std::string Totals::json() const { return object(sum_).dump(); }

std::string to_json(const Report& report) {
  return object(report).dump(-1, ' ', false, json::error_handler_t::replace);
}

Report from_json(const std::string& line) {
  const json from = json::parse(line);
  Report report;
  report.ending = static_cast<sim::Ending>(from.at("ending").get<int>());
  from.at("checker").get_to(report.checker);
  from.at("what").get_to(report.what);
  from.at("unmet").get_to(report.unmet);
  from.at("digest").get_to(report.digest);
  from.at("steps").get_to(report.steps);
  report.age = Duration(from.at("age_ns").get<std::int64_t>());
  from.at("shard_steps").get_to(report.shard_steps);
  from.at("messages").get_to(report.messages);
  from.at("events").get_to(report.events);
  from.at("lost").get_to(report.lost);
  from.at("duplicated").get_to(report.duplicated);
  from.at("streams").get_to(report.streams);
  from.at("node_changes").get_to(report.node_changes);
  from.at("drops").get_to(report.drops);
  from.at("acts").get_to(report.acts);
  from.at("marks").get_to(report.marks);
  from.at("delivered").get_to(report.delivered);
  from.at("failed").get_to(report.failed);
  report.loads = loads(from.at("loads"));
  report.switch_links = links(from.at("switch_links"));
  return report;
}

}  // namespace ulnet::tools
