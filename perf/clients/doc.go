// Package clients runs benchmark clients on one workload, each as its users do, and reads what they
// say: the embedded one, sglang.bench_serving, vllm bench serve and llama-benchy. The programs
// perf/truth and perf/cost hold them against a server of known pace.
// It is no part of servematrix, which reads clients' results in package result: what measures the
// client shares no code with it.
package clients
