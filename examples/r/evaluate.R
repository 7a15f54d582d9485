# SPDX-License-Identifier: MIT
# One question per line on stdin, one answer per line on stdout; see docs/evaluator-protocol.md.

# 200 customers arrive at rate 2 per minute and go to the clerk who is free first.
simulate <- function(clerks, speed, seed) {
  set.seed(seed %% .Machine$integer.max)
  customers <- 200
  arrival <- cumsum(rexp(customers, rate = 2))
  service <- rexp(customers, rate = speed)
  free_at <- numeric(clerks)
  wait <- numeric(customers)
  for (k in seq_len(customers)) {
    clerk <- which.min(free_at)
    begin <- max(arrival[k], free_at[clerk])
    wait[k] <- begin - arrival[k]
    free_at[clerk] <- begin + service[k]
  }
  list(wages = clerks * (1 + speed^1.5), wait = mean(wait) - 0.5)
}

# The number behind "key": in a line of JSON; base R reads no JSON, and the questions are simple.
number_of <- function(line, key) {
  pattern <- paste0('"', key, '":([-+0-9.eE]+)')
  as.numeric(regmatches(line, regexec(pattern, line))[[1]][2])
}

questions <- file("stdin", open = "r")
while (length(line <- readLines(questions, n = 1)) > 0) {
  result <- simulate(number_of(line, "clerks"), number_of(line, "speed"), number_of(line, "seed"))
  cat(sprintf('{"id":%.0f,"objective":%.17g,"constraints":[%.17g]}\n', number_of(line, "id"), result$wages, result$wait))
  flush(stdout())
}
