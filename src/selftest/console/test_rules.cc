#include "selftest/console/test_rules.h"

#include "lnet/base/assert.h"

namespace ulnet::svc::selftest::console {

namespace {

constexpr std::uint32_t kConcurrencyMax = 1024;
constexpr std::uint32_t kBulkMax = 1U << 20;
constexpr std::uint32_t kWord = 8;
/// The page size of the console. A session without kLstFeatureBulkLength counts lengths in pages,
/// and each node has a page size of its own.
constexpr std::uint32_t kPage = 4096;

Result<void> check_brw(const TestSpec& spec, std::uint32_t features) {
  const std::string size = std::to_string(spec.size);
  if (spec.size == 0 || spec.size > kBulkMax)
    return fail(-EINVAL, "Size exceed limitation: " + size + " bytes");
  if ((features & wire::kLstFeatureBulkLength) == 0 && spec.size % kPage != 0)
    return fail(-EINVAL, "size=" + size + " is not sent: the session counts pages of 4096 bytes");
  if (spec.offset % kWord != 0 || spec.offset >= kPage)
    return fail(-EINVAL, "Invalid offset " + std::to_string(spec.offset) +
                             ": a multiple of 8 within the first page of 4096 bytes");
  if (spec.offset != 0 && (features & wire::kLstFeatureBulkLength) == 0)
    return fail(-EINVAL, "off=" + std::to_string(spec.offset) +
                             " is not sent: the session counts pages of 4096 bytes");
  return {};
}

}  // namespace

Result<void> check_test(const TestSpec& spec, std::uint32_t features) {
  if (spec.concurrency == 0 || spec.concurrency > kConcurrencyMax)
    return fail(-EINVAL, "Invalid concurrency of test: " + std::to_string(spec.concurrency));
  if (spec.loop == 0) return fail(-EINVAL, "Invalid loop count of test: 0");
  if (spec.spread.clients == 0 || spec.spread.servers == 0)
    return fail(-EINVAL, "Invalid distribution: " + std::to_string(spec.spread.clients) + ":" +
                             std::to_string(spec.spread.servers));
  return spec.service == wire::LstService::kBrw ? check_brw(spec, features) : Result<void>();
}

namespace {

/// Returns the parameter by which a test stops some production nodes, in words; empty: the test
/// stops no node.
std::string risk_of(const TestSpec& spec) {
  if (spec.service != wire::LstService::kBrw) return "";
  if (spec.check == wire::LstCheck::kDiscard)
    return "check=discard stops production nodes of version 2.16 and 2.17";
  if (spec.offset != 0)
    return "off=" + std::to_string(spec.offset) +
           " stops production nodes of version 2.16 and later";
  return "";
}

/// Finds the first node of a test that is not known to have `ability`; null when all nodes have it.
MemberPtr member_without(std::uint32_t ability, const Members& clients, const Members& servers) {
  for (const Members& members : {clients, servers})
    for (const MemberPtr& member : members)
      if ((member->abilities & ability) == 0) return member;
  return nullptr;
}

bool cuts_a_word(const TestSpec& spec) {
  return spec.service == wire::LstService::kBrw && spec.size % kWord != 0;
}

/// Refuses a test unless every node is known to survive it, or the user has confirmed that. A
/// confirmation does not help for a length that stops every production node.
Result<void> check_risk(const TestSpec& spec, const Members& clients, const Members& servers) {
  const std::string unknown = " is not known to be ulnet: the test is not sent";
  if (cuts_a_word(spec))
    if (const MemberPtr member = member_without(wire::kLstAnyLength, clients, servers))
      return fail(-EINVAL, "size=" + std::to_string(spec.size) +
                               " stops production nodes, which need a multiple of 8, and " +
                               member->id.to_string() + unknown);
  const std::string risk = risk_of(spec);
  if (risk.empty() || spec.nodes_are_safe) return {};
  if (const MemberPtr member = member_without(wire::kLstTakesRisks, clients, servers))
    return fail(-EINVAL, risk + ", and " + member->id.to_string() + unknown +
                             ". If no node has such a version, give --nodes-are-safe");
  return {};
}

}  // namespace

Result<void> check_parties(const TestSpec& spec, const Members& clients, const Members& servers) {
  if (clients.empty() || servers.empty())
    return fail(-EINVAL, clients.empty() ? "the group of clients has no active node"
                                         : "the group of servers has no active node");
  const std::string each = "each client gets " + std::to_string(spec.spread.servers) + " servers";
  if (spec.spread.servers > servers.size())
    return fail(-EINVAL, each + ", but only " + std::to_string(servers.size()) + " are active");
  if (spec.spread.servers > wire::kLstDestinationsPerPage)
    return fail(-EINVAL, each + ", but a list of servers holds " +
                             std::to_string(wire::kLstDestinationsPerPage));
  for (const MemberPtr& server : servers)
    if (!server->id.nid.is_small())
      return fail(-EINVAL, server->id.to_string() +
                               " cannot be a server: selftest names servers by 4-byte addresses");
  return check_risk(spec, clients, servers);
}

wire::LstParameters parameters_of(const TestSpec& spec, std::uint32_t features) {
  ULNET_ASSERT(check_test(spec, features));
  if (spec.service == wire::LstService::kPing) return wire::LstPingParameters{};
  const wire::LstBrwOp op = spec.write ? wire::LstBrwOp::kWrite : wire::LstBrwOp::kRead;
  if ((features & wire::kLstFeatureBulkLength) == 0)
    return wire::LstBrwPages{.op = op, .pages = spec.size / kPage, .check = spec.check};
  return wire::LstBrwBytes{.op = op,
                           .check = spec.check,
                           .length = spec.size,
                           .offset = spec.offset,
                           .any_length = cuts_a_word(spec)};
}

}  // namespace ulnet::svc::selftest::console
