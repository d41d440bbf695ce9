#include "admin/client/batch.h"

#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"

namespace ulnet::ctl {

namespace {

/// How much longer than the time for the whole batch each change may take: a driver may have to
/// wait for its NI.
constexpr std::chrono::seconds kPerChange{1};

tl::unexpected<Error> cannot_wait() {
  return fail(
      -EINVAL,
      "a batch cannot make this call, which needs an answer before the batch sends its changes");
}

BatchAnswer answer_of(const Tree& answer) {
  if (!answer.is_object()) return {fail(-EPROTO, "the node's answer is not understood"), {}};
  if (!answer.contains("errno")) return {{}, {}};
  return {fail(number_in(answer, "errno", -EPROTO), text_in(answer, "descr")),
          text_in(answer, "hint")};
}

}  // namespace

Batch::Batch() : requests_(std::make_unique<Tree>(Tree::array())) {}
Batch::~Batch() = default;

std::size_t Batch::size() const { return requests_->size(); }

Result<std::vector<BatchAnswer>> Batch::send(ControlApi& node) const {
  std::vector<BatchAnswer> answers;
  if (requests_->empty()) return answers;
  const auto timeout = ControlApi::kTimeout + kPerChange * static_cast<int>(size());
  const auto all = node.post("/v1/batch", {{"requests", *requests_}}, timeout);
  if (!all) return tl::unexpected(all.error());
  for (const Tree& answer : list_in(*all, "answers")) answers.push_back(answer_of(answer));
  if (answers.size() != size()) return fail(-EPROTO, "the node's answer is not understood");
  return answers;
}

Result<Tree> Batch::get(const std::string&) { return cannot_wait(); }
Result<std::string> Batch::get_text(const std::string&) { return cannot_wait(); }
Result<Tree> Batch::change(const std::string& method, const std::string& path, const Tree& body,
                           std::optional<std::chrono::seconds>) {
  requests_->push_back(Tree{{"method", method}, {"path", path}, {"body", body}});
  return Tree::object();
}

}  // namespace ulnet::ctl
