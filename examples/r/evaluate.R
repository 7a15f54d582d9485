# SPDX-License-Identifier: MIT
# One question per line on stdin, one answer per line on stdout; see docs/evaluator-protocol.md.

# 200 customers arrive at rate 2 per minute and go to the clerk who is free first.
simulate <- function(clerks, speed, seed) {
  set.seed(seed)  # below 2^31: seed_bits in problem.toml
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

# With the package jsonlite any question is read. Base R reads no JSON: without it the numbers are looked up by their
# names, which is enough for variables that are numbers.
has_jsonlite <- requireNamespace("jsonlite", quietly = TRUE)

number_of <- function(line, key) {
  pattern <- paste0('"', key, '":([-+0-9.eE]+)')
  as.numeric(regmatches(line, regexec(pattern, line))[[1]][2])
}

read_question <- function(line) {
  if (has_jsonlite) return(jsonlite::fromJSON(line))
  list(id = number_of(line, "id"), seed = number_of(line, "seed"),
       x = list(clerks = number_of(line, "clerks"), speed = number_of(line, "speed")))
}

questions <- file("stdin", open = "r")
while (length(line <- readLines(questions, n = 1)) > 0) {
  question <- read_question(line)
  result <- simulate(question$x$clerks, question$x$speed, question$seed)
  cat(sprintf('{"id":%.0f,"objective":%.17g,"constraints":[%.17g]}\n', question$id, result$wages, result$wait))
  flush(stdout())
}
