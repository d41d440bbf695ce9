#include "admin/ulnetctl/session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/client/export.h"
#include "admin/client/verbosity.h"
#include "admin/conf/yaml_out.h"

namespace ulnet::tools {

ctl::LnetConfig& Session::connect(ctl::Intent intent) {
  if (!connection_) connection_.emplace(control_);
  const auto client = connection_->open(intent);
  if (!client) {
    err(program_ + ": " + client.error().reason + "\n");
    throw CommandEnds{kRequestFailed};
  }
  client_ = *client;
  lnet_ = std::make_unique<ctl::LnetConfig>(*client_);
  return *lnet_;
}

int Session::show_by(const std::function<Result<ctl::Tree>(ctl::LnetConfig&)>& ask,
                     std::string_view entity, bool as_json) {
  const auto shown = ask(connect(ctl::Intent::kShow));
  return shown ? show_unless_empty(*shown, as_json) : failed("show", entity, shown.error());
}

std::string Session::text_of(const ctl::Tree& tree, bool as_json) const {
  if (as_json || json_) return tree.dump(2, ' ', false, ctl::Tree::error_handler_t::replace) + "\n";
  return ctl::sections_to_yaml(is_lnetctl() ? ctl::as_recorded(tree) : tree);
}

void Session::show(const ctl::Tree& tree, bool as_json) { out(text_of(tree, as_json)); }

int Session::show_unless_empty(const ctl::Tree& tree, bool as_json) {
  const bool empty = std::all_of(tree.begin(), tree.end(),
                                 [](const ctl::Tree& section) { return section.empty(); });
  if (!empty || as_json || json_) show(tree, as_json);
  return 0;
}

void Session::hint(std::string_view sentence) {
  if (!sentence.empty()) err("# " + std::string(sentence) + "\n");
}

int Session::failed(std::string_view operation, std::string_view entity, const Error& error,
                    std::optional<std::int64_t> seq_no) {
  err(conf::error_framed(operation, entity, error.code,
                         error.reason.empty() ? conf::errno_text(error.code) : error.reason,
                         seq_no));
  hint_of_answer();
  return kRequestFailed;
}

void Session::hint_of_answer() {
  if (client_ != nullptr) hint(client_->take_hint());
}

int Session::finish(std::string_view operation, std::string_view entity,
                    const Result<void>& result) {
  return result ? 0 : failed(operation, entity, result.error());
}

int Session::nested(std::string_view operation, std::string_view entity, int code,
                    std::string_view descr, int exit_code) {
  err(conf::error_nested(operation, entity, code, descr));
  return exit_code;
}

}  // namespace ulnet::tools
