// SPDX-License-Identifier: MIT
#pragma once

namespace zeroth::cli {

// SIGINT, SIGTERM and SIGHUP: the first asks for a clean stop, the second ends the program at once (evaluators too).
// The store needs no goodbye: it is whole at every moment. SIGINT and SIGHUP stay ignored where they were when the
// program began (nohup).
void catch_signals();
void ignore_signals();  // ranks that evaluate: rank 0 decides
bool stop_requested();

}  // namespace zeroth::cli
