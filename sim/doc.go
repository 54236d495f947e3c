// Package sim is the embedded simulated server: it speaks the HTTP API of an SGLang or vLLM
// server, starts, logs, forks workers and stops as they do, and times its answers by a small
// documented model of serving instead of a neural network.
// It is no benchmark of anything: every answer is labelled as simulated, and no number of it
// says how a real engine performs. It knows nothing of sweeps, clients or supervisors.
// The command tree calls Serve for `servematrix sim serve`; main calls WorkerMain first.
package sim
