#include "tools/ulnetctl/session.h"

#include <nlohmann/json.hpp>

#include "conf/yaml_out.h"
#include "ctl/door_client.h"
#include "ctl/export.h"
#include "tools/shell/door.h"

namespace ulnet::tools {

ctl::LnetConfig* Session::connect() {
  if (lnet_ != nullptr) return lnet_.get();
  auto door = open_door(control_);
  if (!door) {
    err(program_ + ": " + door.error().reason + "\n");
    return nullptr;
  }
  door_ = std::move(*door);
  lnet_ = std::make_unique<ctl::LnetConfig>(*door_);
  return lnet_.get();
}

void Session::show(const ctl::Tree& tree, bool as_json) {
  if (as_json || json_)
    out(tree.dump(2, ' ', false, ctl::Tree::error_handler_t::replace) + "\n");
  else
    out(ctl::sections_to_yaml(tree));
}

int Session::failed(std::string_view operation, std::string_view entity, const Error& error) {
  err(conf::error_framed(operation, entity, error.code,
                         error.reason.empty() ? conf::errno_text(error.code) : error.reason));
  return kRequestFailed;
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

int Session::not_built(std::string_view operation, std::string_view entity,
                       std::string_view command) {
  return failed(operation, entity,
                {-ENOSYS, "'" + std::string(command) + "' is not built yet in ulnet"});
}

}  // namespace ulnet::tools
