#include "admin/client/control_api.h"

#include <nlohmann/json.hpp>

namespace ulnet::ctl {

Result<Tree> ControlApi::post(const std::string& path, const Tree& body,
                              std::chrono::seconds timeout) {
  return change("POST", path, body, timeout);
}
Result<Tree> ControlApi::patch(const std::string& path, const Tree& body) {
  return change("PATCH", path, body, std::nullopt);
}
Result<Tree> ControlApi::del(const std::string& path, const Tree& body) {
  return change("DELETE", path, body, std::nullopt);
}

}  // namespace ulnet::ctl
