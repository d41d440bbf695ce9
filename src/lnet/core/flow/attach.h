// Attaching and binding of MEs and MDs. Source: spec/core-semantics.md 3, 4.3, 4.4.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the portal's owner shard: notes that shard `user` is going to attach entries of this type.
/// Returns -EINVAL if there is no such portal, -EPERM if the portal has the other type (3).
Check claim_portal(Step& step, Portal portal, PortalType type, std::uint32_t user);
/// Attaches an ME. Returns 0 and sets `me`, or returns -EINVAL, -EPERM or -ENOMEM (3). Returns
/// -EAGAIN if another shard owns the portal and this shard has never attached an entry on it. The
/// caller then first has to call claim_portal() in the owner shard, and call this function again
/// with `claimed` set.
Check attach_me(Step& step, Portal portal, const ProcessId& match_id, MatchBits match,
                MatchBits ignore, UnlinkMode unlink, bool at_head, bool claimed, MeHandle& me);
/// Attaches an MD to an ME. Returns 0 and sets `md`, after offering the MD to the messages that
/// wait on the portal. On an error other than -ENOENT and -EBUSY it removes the ME too (4.3).
Check attach_md(Step& step, MeHandle me, const MdSpec& spec, UnlinkMode unlink, MdOwner owner,
                MdHandle& md);
/// Binds an MD. Returns 0 and sets `md`, or returns -EINVAL or -ENOMEM (4.4).
Check bind_md(Step& step, const MdSpec& spec, UnlinkMode unlink, MdOwner owner, MdHandle& md);

}  // namespace ulnet::core
