// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace zeroth {

// A process that does nothing but wait for our end, however that comes, kill -9 included, and then kills the process
// groups it was told of: the kernel ends a child with its parent, but not what that child has started itself. It is
// started with the first group. Whatever leaves its group (setsid) is out of its reach.
void guard(pid_t group);
void unguard(pid_t group);

}  // namespace zeroth
