#include "admin/ulnetctl/session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/client/control_client.h"
#include "admin/client/export.h"
#include "admin/client/verbosity.h"
#include "admin/conf/yaml_out.h"
#include "admin/dlc/library.h"
#include "admin/dlc/tree.h"
#include "ulnet/lnetconfig.h"

namespace ulnet::tools {

namespace {

struct FreeTree {
  void operator()(cYAML* root) const { cYAML_free_tree(root); }
};
using Root = std::unique_ptr<cYAML, FreeTree>;

}  // namespace

Session::~Session() {
  if (connected_) lustre_lnet_config_lib_uninit();
}

void Session::use_control(const std::string& control) {
  control_ = control;
  ulnet_lnetconfig_use_node(control.c_str());
}

ctl::LnetConfig& Session::connect(ctl::Intent intent) {
  if (!connected_) connected_ = lustre_lnet_config_lib_init() == 0;
  const auto control_client = connected_ ? dlc::Library::get().control_client(intent)
                                         : fail(-ENOTCONN, ulnet_lnetconfig_last_error());
  if (!control_client) {
    err(program_ + ": " + control_client.error().reason + "\n");
    throw CommandEnds{kRequestFailed};
  }
  client_ = *control_client;
  lnet_ = std::make_unique<ctl::LnetConfig>(*client_);
  return *lnet_;
}

int Session::show_by(const std::function<int(cYAML** show_rc, cYAML** err_rc)>& function,
                     const char* section, std::string_view entity, bool as_json) {
  connect(ctl::Intent::kShow);
  cYAML* show_rc = nullptr;
  const int code = function(&show_rc, nullptr);
  const Root shown(show_rc);
  client_ = nullptr;  // the library has taken its hint
  if (code != 0) {
    failed("show", entity, {code, ulnet_lnetconfig_last_error()});
    return hint(ulnet_lnetconfig_last_hint()), kRequestFailed;
  }
  if (shown != nullptr) return show(dlc::tree_of(*shown), as_json), 0;
  ctl::Tree nothing = ctl::Tree::object();
  nothing[section] = ctl::Tree::array();
  return show_unless_empty(nothing, as_json);
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
