#include "lnet/os/partitions.h"

#include <utility>

#include "lnet/base/limits.h"
#include "lnet/os/cpu_topology.h"

namespace ulnet::node {

namespace {

std::vector<std::uint32_t> distances_of(const cpt::Table& table) {
  if (table.count() == 1 || table.topology().nodes().size() == 1) return {};
  const auto count = static_cast<std::int32_t>(table.count());
  std::vector<std::uint32_t> all;
  for (std::int32_t from = 0; from < count; ++from)
    for (std::int32_t to = 0; to < count; ++to) all.push_back(table.distance(from, to));
  return all;
}

}  // namespace

Result<Partitions> Partitions::make(Mode mode, std::string_view pattern, std::uint32_t count,
                                    const MachineView& machine, std::string& warning) {
  const bool asked = !pattern.empty() || count != 0;
  if (mode == Mode::kInline && !asked) count = 1;
  const auto topology = cpu_topology(machine.synthetic);
  if (!topology) return tl::unexpected(topology.error());
  auto table = cpt::Table::make(*topology, pattern, count, &warning);
  if (!table) return tl::unexpected(table.error());
  const std::string made = std::to_string(table->count()) + " CPU partitions";
  if (table->count() > limits::kMaxCpts)
    return fail(-EINVAL, made + ": at most " + std::to_string(limits::kMaxCpts));
  if (mode == Mode::kInline && table->count() > 1)
    return fail(-EINVAL, made + ": inline mode has one; leave cpu_npartitions and cpu_pattern out");
  return Partitions(*std::move(table), mode == Mode::kDedicated, machine);
}

Partitions::Partitions(cpt::Table table, bool own_threads, const MachineView& machine)
    : table_(std::move(table)),
      memory_(table_, machine.memory),
      own_threads_(own_threads),
      current_cpu_(machine.current_cpu),
      net_devices_(machine.net_devices),
      node_of_memory_(machine.node_of_memory) {
  const std::uint32_t cpus = table_.topology().cpus().back().number + 1;
  by_cpu_.reserve(cpus);
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu)
    by_cpu_.push_back(static_cast<std::uint32_t>(table_.current(cpu, true)));
  distances_ = distances_of(table_);
}

std::int32_t Partitions::cpt_of_memory(const void* byte) const {
  const auto node = node_of_memory_(byte);
  const auto cpt = node ? table_.cpt_of_node(*node) : std::nullopt;
  return cpt ? static_cast<std::int32_t>(*cpt) : cpt::kAny;
}

Partitions::Beside Partitions::beside(const std::string& device) const {
  const auto node = machine::numa_node_of(device, net_devices_);
  if (!node) return {};
  const auto cpt = table_.cpt_of_node(*node);
  return {cpt ? static_cast<std::int32_t>(*cpt) : cpt::kAny, table_.cpts_of_node(*node)};
}

}  // namespace ulnet::node
