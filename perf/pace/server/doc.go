// Package server is a server of known pace: the first token comes a set time after a request has
// arrived, each further one a set time after the one before, and it keeps of each request what it
// really did. It is there to hold benchmark clients against, so it has to cost much less than they
// do: one thread with epoll, answers that are made beforehand, a write per token. It computes
// nothing, and no number of it says anything about serving.
// The programs perf/pace, perf/truth, perf/cost and perf/faults run it, in a process of its own.
package server
