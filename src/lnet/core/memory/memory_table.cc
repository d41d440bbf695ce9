// Checks the specification of an MD, and keeps the MDs of a shard with their handles and fragment
// lists. Source: spec/core-semantics.md 4.2 to 4.4.
#include "lnet/core/memory/memory_table.h"

#include "lnet/core/contract/cookie.h"

namespace ulnet::core {

namespace {

std::uint64_t total_length(const MdSpec& spec) {
  std::uint64_t total = 0;
  for (const iovec& fragment : spec.fragments) {
    if (fragment.iov_len > UINT32_MAX) return UINT64_MAX;
    total += fragment.iov_len;
  }
  return total;
}

bool names_no_memory(const MdSpec& spec) {
  for (const iovec& fragment : spec.fragments)
    if (fragment.iov_base == nullptr && fragment.iov_len != 0) return true;
  return false;
}

constexpr std::uint32_t kKnownOptions = kOpPut | kOpGet | kManageRemote | kTruncate | kAckDisable |
                                        kMaxSize | kBulkHandle | kTrackResponse | kNoTrackResponse |
                                        kGniLnd | kGpuAddr | kDiscard;

}  // namespace

Check check_md(const MdSpec& spec, bool passive) {
  if ((spec.options & ~kKnownOptions) != 0) return {-EINVAL, "an unknown MD option"};
  if (spec.fragments.size() > limits::kMaxFragments) return {-EINVAL, "more than 256 fragments"};
  if (names_no_memory(spec)) return {-EINVAL, "a fragment without memory"};
  const std::uint64_t total = total_length(spec);
  if (total > UINT32_MAX) return {-EINVAL, "longer than 4 GiB"};
  if ((spec.options & kMaxSize) && spec.max_size > total)
    return {-EINVAL, "max_size is longer than the MD"};
  if (spec.threshold < kThresholdInfinite) return {-EINVAL, "negative threshold"};
  const bool for_others = (spec.options & (kOpPut | kOpGet)) != 0;
  if (passive && !for_others) return {-EINVAL, "an attached MD needs OP_PUT or OP_GET"};
  if (!passive && for_others) return {-EINVAL, "a bound MD takes neither OP_PUT nor OP_GET"};
  if (!passive && total > limits::kMtu) return {-EINVAL, "a bound MD is longer than 1 MiB"};
  return {};
}

Md* MemoryTable::make(const MdSpec& spec, UnlinkMode unlink, bool passive) {
  if (mds_.size() == kCookieSlots) return nullptr;
  auto [self, md] = mds_.make();
  // all slots that fit into a cookie are in use, or have no generation left
  if (self.slot >= kCookieSlots) {
    mds_.erase(self);
    return nullptr;
  }
  md->self = self;
  md->handle = {make_cookie(CookieKind::kMd, shard_, self)};
  md->unlink = unlink;
  md->passive = passive;
  md->max_size = spec.max_size;
  md->options = spec.options;
  md->threshold = spec.threshold;
  md->user_ptr = spec.user_ptr;
  md->sink = spec.sink;
  md->cpt = spec.cpt;
  md->length = static_cast<std::uint32_t>(total_length(spec));
  md->awaited.md = self;
  md->fragment_count = static_cast<std::uint32_t>(spec.fragments.size());
  iovec* fragments = md->inline_fragments;
  if (md->fragment_count > Md::kInline) {
    md->own_fragments = take_fragments(md->fragment_count);
    fragments = md->own_fragments.get();
  }
  std::copy(spec.fragments.begin(), spec.fragments.end(), fragments);
  md->fragments = fragments;
  return md;
}

Md* MemoryTable::find(MdHandle handle) {
  const auto self = read_cookie(CookieKind::kMd, shard_, handle.cookie);
  return self ? mds_.find(*self) : nullptr;
}

void MemoryTable::erase(Md& md) {
  ULNET_ASSERT(md.state == MdState::kGone && md.messages.empty() && md.me == nullptr);
  if (md.own_fragments) give_fragments(std::move(md.own_fragments), md.fragment_count);
  mds_.erase(md.self);
}

std::unique_ptr<iovec[]> MemoryTable::take_fragments(std::uint32_t count) {
  std::size_t size_class = 0;
  while (kClasses[size_class] < count) ++size_class;
  auto& spare = spare_[size_class];
  if (spare.empty()) return std::make_unique<iovec[]>(kClasses[size_class]);
  std::unique_ptr<iovec[]> fragments = std::move(spare.back());
  spare.pop_back();
  return fragments;
}

void MemoryTable::give_fragments(std::unique_ptr<iovec[]> fragments, std::uint32_t count) {
  std::size_t size_class = 0;
  while (kClasses[size_class] < count) ++size_class;
  spare_[size_class].push_back(std::move(fragments));
}

}  // namespace ulnet::core
