#include "admin/server/pieces.h"

#include <utility>

#include "admin/server/handlers.h"
#include "admin/server/limits.h"

namespace ulnet::node::control {

namespace {

/// The bytes that an answer takes from limits::kListsBytes and from the node's budget while it
/// exists.
class Kept {
 public:
  Kept(ListBytes& lists, std::shared_ptr<Node> node, std::uint64_t bytes)
      : lists_(lists), node_(std::move(node)), bytes_(bytes) {
    const std::uint64_t before = lists_.used.fetch_add(bytes_);
    enough_ = before + bytes_ <= limits::kListsBytes && taken_.more(bytes_);
  }
  ~Kept() { lists_.used -= bytes_; }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  bool enough() const { return enough_; }
  Node& node() const { return *node_; }

 private:
  ListBytes& lists_;
  const std::shared_ptr<Node> node_;
  const std::uint64_t bytes_;
  MemoryTaken taken_{node_->memory(), MemoryPart::kControl};
  bool enough_ = false;
};

Reply reply_short(Context& context) {
  // Logged once. It can be logged again when an answer has got its bytes meanwhile.
  if (!context.lists.shortage_logged.exchange(true)) log_shortage(context.log);
  Reply reply = reply_error(503, -ENOMEM, "too many long lists are requested at once: ask again");
  reply.headers = {{"Retry-After", "1"}};
  return reply;
}

}  // namespace

Reply reply_in_pieces(Context& context, std::shared_ptr<Node> node, const char* content_type,
                      std::uint64_t kept, std::function<void(Node&, Pieces&)> make) {
  auto bytes = std::make_shared<Kept>(context.lists, std::move(node), kept + limits::kPiecesBytes);
  if (!bytes->enough()) return reply_short(context);
  context.lists.shortage_logged = false;
  Reply reply;
  reply.content_type = content_type;
  reply.make = [bytes = std::move(bytes), make = std::move(make)](Pieces& to) {
    make(bytes->node(), to);
  };
  return reply;
}

}  // namespace ulnet::node::control
