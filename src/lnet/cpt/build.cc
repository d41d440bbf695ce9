// Makes tables of CPU partitions from a count and from patterns. Source: spec/core-semantics.md
// 13.1, the SMP node affinity design.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "lnet/base/expr_list.h"
#include "lnet/base/limits.h"
#include "lnet/base/text.h"
#include "lnet/cpt/table.h"

namespace ulnet::cpt {
namespace {

/// The most CPUs or nodes in a list of a pattern.
constexpr std::size_t kListMax = 65536;
/// A count this many times the default count gets a warning.
constexpr std::uint32_t kManyTimes = 4;

/// One word of a pattern: "N", "X[0,4]", "2[4-7]".
struct Word {
  std::string_view text;    ///< the whole word, for error messages
  std::string_view prefix;  ///< the text before the bracket
  std::vector<std::uint32_t> list;
};

tl::unexpected<Error> at_fault(std::string_view word, int code, const std::string& why) {
  return fail(code, fmt::format("cpu_pattern: {}: {}", text::quoted(word), why));
}

Result<Word> parse_word(std::string_view word) {
  const std::size_t open = word.find('[');
  Word parsed{word, text::trim(word.substr(0, open)), {}};
  if (open == std::string_view::npos) return parsed;
  const auto list = ExprList::parse(word.substr(open), 0xffffffff);
  if (!list) return at_fault(word, -EINVAL, list.error().reason);
  const auto values = list->expand(kListMax);
  if (!values) return at_fault(word, -ERANGE, values.error().reason);
  parsed.list = *values;
  return parsed;
}

Result<std::vector<Word>> split(std::string_view pattern) {
  std::vector<Word> words;
  for (std::string_view rest = text::trim(pattern); !rest.empty(); rest = text::trim(rest)) {
    // "N" is a word by itself; every other word ends with its bracket.
    const bool nodes = rest.front() == 'N' && (rest.size() == 1 || rest[1] != '[');
    const std::size_t close = rest.find(']');
    const std::size_t length = nodes                             ? 1
                               : close == std::string_view::npos ? rest.size()
                                                                 : close + 1;
    auto word = parse_word(rest.substr(0, length));
    if (!word) return tl::unexpected(word.error());
    words.push_back(*std::move(word));
    rest.remove_prefix(length);
  }
  return words;
}

/// A pattern, split into its parts.
struct Pattern {
  bool nodes = false;            ///< it contains N
  std::vector<Word> excluded;    ///< X[...] and C[...]
  std::vector<Word> explicitly;  ///< NUMBER[...]: partitions given one by one
};

Result<Pattern> take_apart(std::string_view text) {
  const auto words = split(text);
  if (!words) return tl::unexpected(words.error());
  Pattern pattern;
  for (const Word& word : *words) {
    if (word.prefix == "N") {
      if (&word != &words->front()) return at_fault(word.text, -EINVAL, "N comes first");
      pattern.nodes = true;
    } else if (word.list.empty()) {
      return at_fault(word.text, -EINVAL, "not N, X[...], C[...] or NUMBER[...]");
    } else if (word.prefix == "X" || word.prefix == "C") {
      pattern.excluded.push_back(word);
    } else if (text::number(word.prefix, 0xffffffff)) {
      pattern.explicitly.push_back(word);
    } else {
      return at_fault(word.text, -EINVAL, "not N, X[...], C[...] or NUMBER[...]");
    }
  }
  if (!pattern.excluded.empty() && !pattern.explicitly.empty())
    return at_fault(pattern.excluded[0].text, -EINVAL,
                    "X[...] and C[...] cannot be combined with NUMBER[...]");
  return pattern;
}

Result<Table> one_by_one(const Topology& topology, const Pattern& pattern) {
  const auto count = static_cast<std::uint32_t>(pattern.explicitly.size());
  if (count > limits::kMaxCpts)
    return fail(-ERANGE,
                fmt::format("cpu_pattern: {} partitions; at most {}", count, limits::kMaxCpts));
  Table table(topology, count);
  std::set<std::uint32_t> given;
  for (const Word& word : pattern.explicitly) {
    const std::uint32_t cpt = *text::number(word.prefix, 0xffffffff);
    if (cpt >= count)
      return at_fault(word.text, -ERANGE,
                      fmt::format("{} partitions are numbered 0 to {}", count, count - 1));
    if (!given.insert(cpt).second)
      return at_fault(word.text, -EPERM, fmt::format("partition {} is given twice", cpt));
    Result<void> added;
    if (!pattern.nodes) added = table.set_cpus(cpt, word.list);
    for (std::size_t i = 0; pattern.nodes && added && i < word.list.size(); ++i)
      added = table.set_node(cpt, word.list[i]);
    if (!added)
      return at_fault(word.text, added.error().code == -EEXIST ? -EINVAL : added.error().code,
                      added.error().reason);
  }
  return table;
}

/// The CPUs of core `index` of every node; a node's cores are counted in the order of their
/// numbers.
std::vector<std::uint32_t> cpus_of_core(const Topology& topology, std::size_t index) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t node : topology.nodes()) {
    std::set<std::uint32_t> cores;
    for (const Cpu& cpu : topology.cpus())
      if (cpu.node == node) cores.insert(cpu.core);
    if (index >= cores.size()) continue;
    const std::uint32_t core = *std::next(cores.begin(), static_cast<std::ptrdiff_t>(index));
    for (const Cpu& cpu : topology.cpus())
      if (cpu.core == core) found.push_back(cpu.number);
  }
  return found;
}

/// The topology without the CPUs that X and C exclude.
Result<Topology> without(const Topology& topology, const std::vector<Word>& excluded) {
  std::set<std::uint32_t> gone;
  for (const Word& word : excluded) {
    for (const std::uint32_t number : word.list) {
      std::vector<std::uint32_t> named;
      if (word.prefix == "C")
        named = cpus_of_core(topology, number);
      else if (topology.find(number) != nullptr)
        named.push_back(number);
      if (named.empty())
        return at_fault(
            word.text, -ERANGE,
            fmt::format("there is no {} {}", word.prefix == "X" ? "CPU" : "core", number));
      gone.insert(named.begin(), named.end());
    }
  }
  if (gone.size() >= topology.cpus().size())
    return at_fault(excluded.back().text, -ENODEV, "no CPU is left");
  return topology.without({gone.begin(), gone.end()});
}

/// The same partitions on the whole machine; `part` is a table of the machine without the
/// excluded CPUs.
Result<Table> on_machine(const Topology& machine, const Table& part) {
  Table table(machine, part.count());
  for (std::uint32_t cpt = 0; cpt < part.count(); ++cpt)
    if (auto set = table.set_cpus(cpt, part.cpus(static_cast<std::int32_t>(cpt))); !set)
      return tl::unexpected(set.error());
  return table;
}

Result<Table> by_node(const Topology& topology) {
  Table table(topology, static_cast<std::uint32_t>(topology.nodes().size()));
  for (std::uint32_t cpt = 0; cpt < table.count(); ++cpt)
    if (auto set = table.set_node(cpt, topology.nodes()[cpt]); !set)
      return tl::unexpected(set.error());
  return table;
}

}  // namespace

std::uint32_t default_count(std::size_t cpus) {
  if (cpus <= 4) return 1;
  std::uint32_t count = 1;
  while (std::size_t{count} * 2 * count * 2 <= cpus) count *= 2;
  return std::min(count, limits::kMaxCpts);
}

Result<Table> Table::by_number(const Topology& topology, std::uint32_t count) {
  std::vector<Cpu> cpus(topology.cpus().begin(), topology.cpus().end());
  if (count == 0 || count > cpus.size() || count > limits::kMaxCpts)
    return fail(-EINVAL,
                fmt::format("{} CPU partitions on {} CPUs: 1 to {} are possible", count,
                            cpus.size(), std::min<std::size_t>(cpus.size(), limits::kMaxCpts)));
  const auto place = [](const Cpu& cpu) {
    return std::tuple(cpu.socket, cpu.node, cpu.core, cpu.number);
  };
  std::sort(cpus.begin(), cpus.end(),
            [&](const Cpu& a, const Cpu& b) { return place(a) < place(b); });
  // Partitions get whole cores, unless there are fewer cores than partitions.
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < cpus.size(); ++i)
    if (i == 0 || cpus[i].core != cpus[i - 1].core) starts.push_back(i);
  if (starts.size() < count) {
    starts.resize(cpus.size());
    for (std::size_t i = 0; i < cpus.size(); ++i) starts[i] = i;
  }
  starts.push_back(cpus.size());
  const std::size_t units = starts.size() - 1;
  Table table(topology, count);
  for (std::uint32_t cpt = 0; cpt < count; ++cpt)
    for (std::size_t i = starts[cpt * units / count]; i < starts[(cpt + 1) * units / count]; ++i)
      if (auto set = table.set_cpu(cpt, cpus[i].number); !set) return tl::unexpected(set.error());
  return table;
}

Result<Table> Table::by_pattern(const Topology& topology, std::string_view text,
                                std::uint32_t count) {
  const auto pattern = take_apart(text);
  if (!pattern) return tl::unexpected(pattern.error());
  if (!pattern->explicitly.empty()) {
    auto table = one_by_one(topology, *pattern);
    if (table && !table->complete()) return fail(-ENODEV, "cpu_pattern: a partition without CPUs");
    return table;
  }
  const auto rest = without(topology, pattern->excluded);
  if (!rest) return tl::unexpected(rest.error());
  Result<Table> table = count != 0       ? by_number(*rest, count)
                        : pattern->nodes ? by_node(*rest)
                                         : by_number(*rest, default_count(rest->cpus().size()));
  if (!table) return table;
  return on_machine(topology, *table);
}

Result<Table> Table::make(const Topology& topology, std::string_view pattern, std::uint32_t count,
                          std::string* warning) {
  auto table = by_pattern(topology, pattern, count);
  const std::uint32_t usual = default_count(topology.cpus().size());
  if (table && warning != nullptr && table->count() > kManyTimes * usual)
    *warning = fmt::format("{} CPU partitions on {} CPUs are many: {} would be usual",
                           table->count(), topology.cpus().size(), usual);
  return table;
}

}  // namespace ulnet::cpt
