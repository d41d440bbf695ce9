#include "selftest/ulst/tool.h"

#include <algorithm>
#include <cstring>

#include "lnet/base/text.h"
#include "selftest/ulst/texts.h"

namespace ulnet::tools::lst {

namespace {

/// How long to wait for the answer to a command. The console waits up to 30 s for its nodes, and
/// twice as long in commands of two rounds. A time-out that the user requests is added.
constexpr std::int64_t kTimeoutSeconds = 90;

std::chrono::seconds patience_for(const Tree& arguments) {
  const auto timeout = arguments.find("timeout");
  const std::int64_t said =
      timeout != arguments.end() && timeout->is_number_integer() ? timeout->get<int>() : 0;
  return std::chrono::seconds(kTimeoutSeconds + std::max<std::int64_t>(said, 0));
}

}  // namespace

Result<Tree> Tool::call(const std::string& command, Tree arguments) const {
  arguments["key"] = key_;
  auto answer = console_.call(command, arguments, patience_for(arguments));
  if (!answer && answer.error().reason.empty())
    return ulnet::fail(answer.error().code, std::strerror(-answer.error().code));
  return answer;
}

std::optional<Tree> Tool::ask(const std::string& command, Tree arguments, const Wording& wording) {
  auto answer = call(command, std::move(arguments));
  if (answer) return std::move(*answer);
  fail(answer.error().code == wording.code ? wording.sentence : answer.error().reason);
  return std::nullopt;
}

std::optional<Tree> Tool::ask_nodes(const std::string& command, Tree arguments,
                                    const Wording& wording) {
  auto answer = ask(command, std::move(arguments), wording);
  if (answer) err(node_problems(*answer));
  return answer;
}

bool Tool::has_session() {
  const auto session = console_.call("show_session", {{"key", key_}}, patience_for(Tree::object()));
  return session || session.error().code != -ESRCH;
}

int Tool::fail(std::string_view sentence, int code) const {
  err(std::string(sentence) + "\n");
  return code;
}

std::optional<std::uint32_t> session_key(const char* text) {
  if (text == nullptr) return std::nullopt;
  const auto key = text::number(text, UINT32_MAX);
  return key && *key != 0 ? key : std::nullopt;
}

}  // namespace ulnet::tools::lst
