#include "tools/ulnetctl/session.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "conf/yaml_out.h"
#include "ctl/door_client.h"
#include "ctl/export.h"
#include "ctl/find_socket.h"

namespace ulnet::tools {

void out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void err(std::string_view text) {
  std::fflush(stdout);  // the two are often one file
  std::fwrite(text.data(), 1, text.size(), stderr);
}

ctl::LnetConfig* Session::connect() {
  if (lnet_ != nullptr) return lnet_.get();
  const char* environment = std::getenv("ULNET_CONTROL");
  const auto path = ctl::find_control_socket(control_, environment == nullptr ? "" : environment,
                                             conf::place_environment());
  if (!path) {
    err(program_ + ": " + path.error().reason + "\n");
    return nullptr;
  }
  auto door = ctl::DoorClient::open(*path);
  if (!door) {
    err(program_ + ": " + door.error().reason +
        ". Is 'ulnetd' running? --control or ULNET_CONTROL name another node.\n");
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
