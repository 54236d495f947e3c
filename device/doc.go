// Package device knows this host's accelerators: which there are, how much of
// their memory is in use, and which processes use them. It asks the vendors' own
// tools (nvidia-smi, amd-smi or rocm-smi, npu-smi), whose output is all that is
// known; it needs no driver library. It judges nothing and ends nothing: whose a
// process is, and whether memory is a leak, is for the orchestrator to say.
//
// The pids are those that a tool prints. In a container they can be of another pid
// namespace, or missing altogether, so a pid alone proves nothing: whoever acts on
// one confirms it in /proc first (Process.Confirm).
package device
