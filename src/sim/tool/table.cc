#include "sim/tool/table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lnet/core/contract/drop_reason.h"
#include "sim/kernel/event_words.h"

namespace ulnet::tools {
namespace {

using nlohmann::json;
using sim::Report;

using sim::to_string;

void add_to(auto& sum, const auto& more) { sum += more; }
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

/// The members of a struct that goes into JSON. visit() calls `fn` with each one's name there, and
/// the member of the object.
template <class T>
struct Members;

template <>
struct Members<sim::LinkUse> {
  static void visit(auto&& fn, auto& use) {
    fn("from", use.from);
    fn("to", use.to);
    fn("bytes_per_second", use.bytes_per_second);
    fn("pieces", use.counters.pieces);
    fn("bytes", use.counters.bytes);
    fn("lost", use.counters.lost);
    fn("highest_queue", use.counters.highest_queue);
    fn("busy_ns", use.counters.busy);
    fn("over_ns", use.over);
  }
};

template <>
struct Members<sim::Delivered> {
  static void visit(auto&& fn, auto& delivered) {
    fn("messages", delivered.messages);
    fn("bytes", delivered.bytes);
  }
};

template <>
struct Members<sim::LoadResult> {
  static void visit(auto&& fn, auto& result) {
    fn("load", result.load);
    fn("begun", result.counts.begun);
    fn("delivered", result.counts.delivered);
    fn("failed", result.counts.failed);
    fn("forgotten", result.counts.forgotten);
    fn("series", result.series);
  }
};

template <>
struct Members<Report> {
  static void visit(auto&& fn, auto& report) {
    fn("ending", report.ending);
    fn("checker", report.checker);
    fn("what", report.what);
    fn("unmet", report.unmet);
    fn("digest", report.digest);
    fn("loads", report.loads);
    fn("switch_links", report.switch_links);
    visit_sums(fn, report);
  }
  /// Visits the members that Totals adds up, in several reports at once.
  static void visit_sums(auto&& fn, auto&... reports) {
    fn("steps", reports.steps...);
    fn("age_ns", reports.age...);
    fn("shard_steps", reports.shard_steps...);
    fn("messages", reports.messages...);
    fn("events", reports.events...);
    fn("lost", reports.lost...);
    fn("duplicated", reports.duplicated...);
    fn("streams", reports.streams...);
    fn("node_changes", reports.node_changes...);
    fn("drops", reports.drops...);
    fn("acts", reports.acts...);
    fn("marks", reports.marks...);
    fn("delivered", reports.delivered...);
    fn("failed", reports.failed...);
  }
};

}  // namespace
}  // namespace ulnet::tools

template <>
struct nlohmann::adl_serializer<ulnet::Duration> {
  static void to_json(json& to, ulnet::Duration time) { to = time.count(); }
  static void from_json(const json& from, ulnet::Duration& time) {
    time = ulnet::Duration(from.get<std::int64_t>());
  }
};

template <class T>
requires requires { sizeof(ulnet::tools::Members<T>); }
struct nlohmann::adl_serializer<T> {
  static void to_json(json& to, const T& object) {
    ulnet::tools::Members<T>::visit(
        [&](const char* name, const auto& member) { to[name] = member; }, object);
  }
  static void from_json(const json& from, T& object) {
    ulnet::tools::Members<T>::visit(
        [&](const char* name, auto& member) { from.at(name).get_to(member); }, object);
  }
};

namespace ulnet::tools {

void Totals::add(const Report& report) {
  ++runs_;
  Members<Report>::visit_sums([](const char*, auto& sum, const auto& more) { add_to(sum, more); },
                              sum_, report);
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
  Section lost = section<sim::WireLoss>("Messages lost on the wire", sum_.lost);
  lost.row("(came twice)", sum_.duplicated);
  std::size_t hit = 0;
  std::string missed;
  Section marks("Marks hit");
  for (const auto& [name, count] : sum_.marks) {
    hit += count != 0 ? 1 : 0;
    marks.row(name, count);
    if (count == 0) missed += (missed.empty() ? "" : ", ") + name;
  }
  std::string text = faults.text() + loads.text();
  text += section<wire::MsgType>("Messages handed to drivers", sum_.messages).text() + lost.text();
  text += section<EventType>("Events handled", sum_.events).text();
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

std::string Totals::json() const { return nlohmann::json(sum_).dump(); }

std::string to_json(const Report& report) {
  return json(report).dump(-1, ' ', false, json::error_handler_t::replace);
}

Report from_json(const std::string& line) { return json::parse(line).get<Report>(); }

}  // namespace ulnet::tools
