#include "admin/server/reply.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "admin/conf/yaml_out.h"

namespace ulnet::node::control {

namespace {

int http_status_of(int code) {
  switch (-code) {
    case ENOENT:
    case ESRCH:
    case ENODEV:
    case ENXIO:
      return 404;
    case EEXIST:
    case EALREADY:
    case EBUSY:
      return 409;
    case EPERM:
    case EACCES:
      return 403;
    case EINVAL:
    case ERANGE:
    case E2BIG:
      return 400;
    case ENOSYS:
    case EOPNOTSUPP:
      return 501;
    case ENETDOWN:
    case ESHUTDOWN:
      return 503;
    case ETIMEDOUT:
      return 504;
    case ENOMEM:
    case EIO:
    case EFAULT:
      return 500;
    default:
      return 422;  // the request was understood, but the node could not carry it out
  }
}

}  // namespace

std::string text_of(const Json& tree) {
  return tree.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string system_text(int code) {
  char text[128];
  return strerror_r(code < 0 ? -code : code, text, sizeof text);
}

Reply reply_tree(const Json& tree) { return {.body = text_of(tree) + "\n"}; }

Reply reply_done() { return {.body = "{}\n"}; }

Reply reply_text(std::string text) { return {.body = std::move(text), .content_type = kPlainText}; }

Reply reply_error(int http_status, int code, std::string descr, const std::string& hint) {
  if (descr.empty()) descr = conf::errno_text(code);
  Json tree{{"errno", code}, {"descr", descr}};
  if (!hint.empty()) tree["hint"] = hint;
  Reply reply{.status = http_status, .body = text_of(tree) + "\n"};
  reply.problem = descr + " (" + std::to_string(code) + ")";
  return reply;
}

Reply reply_error(const Error& error) {
  return reply_error(http_status_of(error.code), error.code, error.reason);
}

Reply reply_result(const Result<void>& result) {
  return result ? reply_done() : reply_error(result.error());
}

}  // namespace ulnet::node::control
