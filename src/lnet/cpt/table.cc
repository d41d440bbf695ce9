#include "lnet/cpt/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet::cpt {
namespace {

void sort_unique(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

Table::Table(Topology topology, std::uint32_t count)
    : topology_(std::move(topology)), parts_(count) {
  ULNET_ASSERT(count > 0);
}

Result<void> Table::check(std::uint32_t cpt) const {
  if (cpt < count()) return {};
  return fail(-ERANGE, fmt::format("partition {} of {}: they are numbered from 0", cpt, count()));
}

Result<void> Table::set_cpus(std::uint32_t cpt, std::span<const std::uint32_t> cpus) {
  if (auto there = check(cpt); !there) return there;
  for (const std::uint32_t cpu : cpus) {
    if (topology_.find(cpu) == nullptr)
      return fail(-ERANGE,
                  fmt::format("CPU {} is not online, or this process may not use it", cpu));
    if (const auto taken = cpt_of_cpu(cpu); taken && *taken != cpt)
      return fail(-EEXIST, fmt::format("CPU {} is in partition {} already", cpu, *taken));
  }
  Part& part = parts_[cpt];
  part.cpus.insert(part.cpus.end(), cpus.begin(), cpus.end());
  sort_unique(part.cpus);
  renew_nodes(part);
  return {};
}

Result<void> Table::set_cpu(std::uint32_t cpt, std::uint32_t cpu) {
  return set_cpus(cpt, {&cpu, 1});
}

Result<std::vector<std::uint32_t>> Table::cpus_of_node(std::uint32_t node) const {
  if (!topology_.has_node(node)) return fail(-ERANGE, fmt::format("no CPUs on node {}", node));
  std::vector<std::uint32_t> cpus;
  for (const Cpu& cpu : topology_.cpus())
    if (cpu.node == node) cpus.push_back(cpu.number);
  return cpus;
}

Result<void> Table::set_node(std::uint32_t cpt, std::uint32_t node) {
  const auto cpus = cpus_of_node(node);
  return cpus ? set_cpus(cpt, *cpus) : tl::unexpected(cpus.error());
}

void Table::renew_nodes(Part& part) const {
  part.nodes.clear();
  for (const std::uint32_t cpu : part.cpus) part.nodes.push_back(topology_.find(cpu)->node);
  sort_unique(part.nodes);
}

std::vector<std::uint32_t> Table::cpus(std::int32_t cpt) const {
  if (cpt >= 0) return parts_.at(static_cast<std::size_t>(cpt)).cpus;
  std::vector<std::uint32_t> all;
  for (const Part& part : parts_) all.insert(all.end(), part.cpus.begin(), part.cpus.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::uint32_t> Table::nodes(std::int32_t cpt) const {
  if (cpt >= 0) return parts_.at(static_cast<std::size_t>(cpt)).nodes;
  std::vector<std::uint32_t> all;
  for (const Part& part : parts_) all.insert(all.end(), part.nodes.begin(), part.nodes.end());
  sort_unique(all);
  return all;
}

std::optional<std::uint32_t> Table::cpt_of_cpu(std::uint32_t cpu) const {
  for (std::uint32_t cpt = 0; cpt < count(); ++cpt)
    if (std::binary_search(parts_[cpt].cpus.begin(), parts_[cpt].cpus.end(), cpu)) return cpt;
  return std::nullopt;
}

std::optional<std::uint32_t> Table::cpt_of_node(std::uint32_t node) const {
  std::optional<std::uint32_t> best;
  std::ptrdiff_t most = 0;
  for (std::uint32_t cpt = 0; cpt < count(); ++cpt) {
    const auto here =
        std::count_if(parts_[cpt].cpus.begin(), parts_[cpt].cpus.end(),
                      [&](std::uint32_t cpu) { return topology_.find(cpu)->node == node; });
    if (here > most) best = cpt;
    most = std::max(most, here);
  }
  return best;
}

std::vector<std::uint32_t> Table::cpts_of_node(std::uint32_t node) const {
  std::vector<std::uint32_t> cpts;
  for (std::uint32_t cpt = 0; cpt < count(); ++cpt)
    if (std::binary_search(parts_[cpt].nodes.begin(), parts_[cpt].nodes.end(), node))
      cpts.push_back(cpt);
  if (cpts.size() == count()) cpts.clear();
  return cpts;
}

std::int32_t Table::current(std::uint32_t cpu, bool remap) const {
  if (const auto cpt = cpt_of_cpu(cpu)) return static_cast<std::int32_t>(*cpt);
  return remap ? static_cast<std::int32_t>(cpu % count()) : kAny;
}

std::uint32_t Table::distance(std::int32_t a, std::int32_t b) const {
  if (a < 0 || b < 0) return topology_.largest_distance();
  std::uint32_t largest = 0;
  for (const std::uint32_t from : nodes(a))
    for (const std::uint32_t to : nodes(b))
      largest = std::max(largest, topology_.distance(from, to));
  return largest;
}

bool Table::no_affinity() const {
  return count() == 1 && parts_[0].cpus.size() == topology_.cpus().size();
}

bool Table::complete() const {
  return std::none_of(parts_.begin(), parts_.end(),
                      [](const Part& part) { return part.cpus.empty(); });
}

std::string Table::table_text() const {
  std::string text;
  for (std::uint32_t cpt = 0; cpt < count(); ++cpt) {
    text += fmt::format("{}\t:", cpt);
    for (const std::uint32_t cpu : parts_[cpt].cpus) text += fmt::format(" {}", cpu);
    text += '\n';
  }
  return text;
}

std::string Table::distance_text() const {
  std::string text;
  for (std::uint32_t cpt = 0; cpt < count(); ++cpt) {
    text += fmt::format("{}\t:", cpt);
    for (std::uint32_t other = 0; other < count(); ++other)
      text +=
          fmt::format(" {}:{}", other,
                      distance(static_cast<std::int32_t>(cpt), static_cast<std::int32_t>(other)));
    text += '\n';
  }
  return text;
}

std::uint32_t cpt_of_nid(const Nid& nid, std::uint32_t count) {
  ULNET_ASSERT(count > 0);
  if (count == 1) return 0;
  if (nid.is_small() && nid.net().type != NetType::kKfi) {
    // The sum of the eight bytes of the 64-bit NID, of which the highest is always zero.
    const std::uint32_t sum = nid.type + nid.num_be[0] + nid.num_be[1] + nid.addr[0] + nid.addr[1] +
                              nid.addr[2] + nid.addr[3];
    return sum % count;
  }
  // Fibonacci hashing of the address, eight bytes at a time.
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < nid.addr.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8; ++k) word = word << 8 | nid.addr[i + k];
    hash = (hash ^ word) * kGolden;
  }
  return static_cast<std::uint32_t>((hash >> 32) * count >> 32);
}

std::uint32_t cpt_of_nid(const Nid& nid, std::span<const std::uint32_t> bound) {
  ULNET_ASSERT(!bound.empty());
  return bound[cpt_of_nid(nid, static_cast<std::uint32_t>(bound.size()))];
}

}  // namespace ulnet::cpt
