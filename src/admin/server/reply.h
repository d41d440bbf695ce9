// Replies of the control API: a tree, {}, or an error as {"errno": -17, "descr": "..."}
// (docs/CONTROL-API.md).
#pragma once

#include <string>

#include "admin/api/fields.h"
#include "admin/http/message.h"
#include "ulnet/result.hpp"

namespace ulnet::node::control {

using api::Json;
using http::Access;
using http::Caller;
using http::Pieces;
using http::Reply;
using http::Request;

/// Returns the tree as one line. Text that is not UTF-8 gets replacement characters; nothing is
/// thrown.
std::string text_of(const Json& tree);
/// Returns 200 with the tree, as text_of() writes it.
Reply reply_tree(const Json& tree);
/// Returns 200 with `{}`: a change was made.
Reply reply_done();
inline constexpr char kJson[] = "application/json";
inline constexpr char kPlainText[] = "text/plain; charset=utf-8";
Reply reply_text(std::string text);
/// Returns an error. The HTTP status follows from the errno, unless a status is given. An empty
/// reason becomes the system's text of the errno.
Reply reply_error(const Error& error);
/// Returns an error with a hint for the user, beside the text that lnetctl prints. An empty hint is
/// left out.
Reply reply_error(int http_status, int code, std::string descr, const std::string& hint = {});
/// Returns reply_done() or the error.
Reply reply_result(const Result<void>& result);

/// Returns the system's text of an errno: "No such device" for -ENODEV.
std::string system_text(int code);

}  // namespace ulnet::node::control
