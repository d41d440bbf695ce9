#include "sim/load/loads.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "lnet/base/assert.h"
#include "sim/load/loads_impl.h"

namespace ulnet::sim {
namespace {

constexpr std::array kWords = {"put", "put-ack", "put-once", "put-lazy", "get", "get-once"};
static_assert(kWords.size() == kLoadOps);

}  // namespace

const char* to_string(LoadOp op) { return kWords[static_cast<std::size_t>(op)]; }

VerifiedLoad::VerifiedLoad(std::string name, const LoadSetup& setup)
    : Load(std::move(name)), setup_(setup), arrived_(1) {
  ULNET_ASSERT(setup.min_bytes <= setup.max_bytes && setup.max_bytes <= kMaxBytes);
  ULNET_ASSERT(setup.first_portal >= 1 && setup.first_portal + 3 < 64);
}

VerifiedLoad::~VerifiedLoad() = default;

VerifiedLoad::Host& VerifiedLoad::host(SimNode& node) {
  while (hosts_.size() <= node.number())
    hosts_.push_back(std::make_unique<Host>(*this, world_->node(hosts_.size())));
  return *hosts_[node.number()];
}

void VerifiedLoad::begin(World& world) {
  world_ = &world;
  for (std::size_t i = 0; i < kLoadOps; ++i)
    acts_[i] = &world.exercised().acts[std::string("load ") + kWords[i]];
  acts_failed_ = &world.exercised().acts["load failed"];
  for (SimNode& node : world.nodes()) host(node).wake();
  look_busy();
}

void VerifiedLoad::node_changed(World&, SimNode& node, NodeChange change) {
  if (world_ == nullptr) return;
  switch (change) {
    case NodeChange::kStarted:
    case NodeChange::kConfigured:
    case NodeChange::kResumed:
      return host(node).wake();
    case NodeChange::kCrashed:
    case NodeChange::kStopped:
      host(node).forget();
      for (const auto& each : hosts_)
        for (const auto& slot : each->slots) slot->forget(node);
      return;
    case NodeChange::kPaused:
    case NodeChange::kStopping:
      return;
  }
}

void VerifiedLoad::wind_down(World&) {
  over_ = true;
  look_busy();
}

/// Updates whether the load is busy. With a configured number of operations it is busy until they
/// are done.
void VerifiedLoad::look_busy() {
  set_busy(*world_, under_way_ != 0 || (!over_ && begun_ < setup_.operations));
}

void VerifiedLoad::take_back(World& world) {
  wind_down(world);
  withdrawn_ = true;
  for (const auto& each : hosts_) each->take_back();
}

void VerifiedLoad::wrong(const SimNode& node, const std::string& what) {
  world_->violated("load", &node, name() + ": " + what);
}

// ---- memory, sizes and operations ---------------------------------------------------------------

VerifiedLoad::Memory VerifiedLoad::take(std::uint32_t bytes) {
  auto& spare = spare_[std::bit_width(bytes)];
  if (spare.empty())
    return std::make_unique_for_overwrite<std::byte[]>(std::size_t{1} << std::bit_width(bytes));
  Memory memory = std::move(spare.back());
  spare.pop_back();
  return memory;
}

void VerifiedLoad::give(Memory memory, std::uint32_t bytes) {
  blot(memory.get(), bytes);
  spare_[std::bit_width(bytes)].push_back(std::move(memory));
}

Duration VerifiedLoad::draw(Duration most) {
  if (most <= Duration{}) return {};
  return up_to(rng(), most);
}

std::uint32_t VerifiedLoad::draw_size() {
  constexpr std::array<std::uint32_t, 7> kBelow = {0, 64, 512, 1024, 4096, 16384, 65536};
  if (setup_.min_bytes == setup_.max_bytes) return setup_.min_bytes;
  // Large messages are rare: otherwise a run would mostly copy them.
  const std::uint64_t sort = rng().below(64);
  const std::uint32_t below = sort == 63 ? kMaxBytes : kBelow[sort % 7];
  const auto size = static_cast<std::uint32_t>(rng().below(std::uint64_t{below} + 1));
  return std::clamp(size, setup_.min_bytes, setup_.max_bytes);
}

LoadOp VerifiedLoad::draw_op() {
  std::uint64_t sum = 0;
  for (const std::uint32_t share : setup_.shares) sum += share;
  std::uint64_t left = rng().below(std::max<std::uint64_t>(sum, 1));
  for (std::size_t i = 0; i < kLoadOps; ++i) {
    if (left < setup_.shares[i]) return static_cast<LoadOp>(i);
    left -= setup_.shares[i];
  }
  return LoadOp::kPut;
}

// ---- contents -----------------------------------------------------------------------------------

const std::byte* pattern(std::uint64_t key) {
  constexpr std::size_t kShifts = kMaxBytes;
  static const std::vector<std::uint64_t> words = [] {
    std::vector<std::uint64_t> made((kShifts + kMaxBytes) / 8);
    Rng rng(1);
    for (std::uint64_t& word : made) word = rng.next();
    return made;
  }();
  const std::uint64_t shift = (key * 0x9e3779b97f4a7c15ULL >> 20) % kShifts;
  return reinterpret_cast<const std::byte*>(words.data()) + shift;
}

void blot(std::byte* memory, std::uint32_t bytes) {
  std::memset(memory, 0xee, std::min<std::uint32_t>(bytes, 64));
  if (bytes > 64) std::memset(memory + bytes - 64, 0xee, 64);
}

}  // namespace ulnet::sim
