package draft

import (
	"path"
	"slices"
	"strings"

	"servematrix/command"
)

// valued are the options of docker run, podman run and their exec that have a value behind them.
var valued = strings.Fields("-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --blkio-weight --cap-add --cap-drop --cgroup-parent --cgroupns --cidfile --cpu-shares --cpus " +
	"--cpuset-cpus --cpuset-mems --device --device-cgroup-rule --detach-keys --dns --entrypoint --env --env-file --expose --gpus --group-add --hostname --ip --ipc --label --link --log-driver " +
	"--log-opt --memory --memory-swap --mount --name --net --network --network-alias --oom-score-adj --pid --platform --publish --pull --restart --runtime --security-opt --shm-size " +
	"--stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit --user --userns --uts --volume --volumes-from --workdir")

// entries are images that start a server by themselves, with what they start.
var entries = map[string][]string{"vllm/vllm-openai": {"vllm", "serve"}}

// programs, given to such an image, are what the image runs.
var programs = []string{"vllm", "python3", "python", "bash", "sh"}

// container is what stands around the command that docker run or exec is to run.
type container struct {
	image   string // or the container's name
	options []string
}

// uncontained takes a command out of docker run or exec: a container's processes are the
// daemon's, which servematrix could neither see nor end. False: it is no such command, or the
// image alone knows what it runs.
func (c *Command) uncontained() (container, bool) {
	argv := c.Argv
	if len(argv) > 0 && path.Base(argv[0]) == "sudo" {
		argv = argv[1:]
	}
	if len(argv) < 3 || !slices.Contains([]string{"docker", "podman", "nerdctl"}, path.Base(argv[0])) || argv[1] != "run" && argv[1] != "exec" {
		return container{}, false
	}
	var found container
	var entry []string
	env := slices.Clone(c.Env)
	i := 2
	for ; i < len(argv) && command.IsFlag(argv[i]); i++ {
		name, value, joined := strings.Cut(argv[i], "=")
		text := argv[i]
		if !joined && slices.Contains(valued, name) && i+1 < len(argv) {
			i++
			value = argv[i]
			text += " " + value
		}
		switch key, set, ok := cutAssign(value); {
		case name == "--entrypoint":
			entry = []string{value}
		case (name == "-e" || name == "--env") && ok:
			inner := Command{Env: env}
			inner.set(key, set)
			env = inner.Env
		default:
			found.options = append(found.options, text)
		}
	}
	if i >= len(argv) {
		return container{}, false
	}
	found.image = argv[i]
	rest := argv[i+1:]
	if entry == nil && argv[1] == "run" && (len(rest) == 0 || !slices.Contains(programs, path.Base(rest[0]))) {
		entry = entries[repository(found.image)]
	}
	inner := slices.Concat(entry, rest)
	if len(inner) == 0 || command.IsFlag(inner[0]) {
		return container{}, false
	}
	c.Env = env
	c.Argv = inner
	return found, true
}

// repository is an image's name less its tag and digest.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
		image = image[:i]
	}
	return strings.TrimPrefix(image, "docker.io/")
}

// Uncontain takes the command out of its container, where it stands in one, and notes it.
func (c *Command) Uncontain() {
	program := strings.Join(c.Argv[:min(2, len(c.Argv))], " ")
	found, ok := c.uncontained()
	if !ok {
		return
	}
	note := program + " is left out: a container's processes belong to its daemon, and servematrix measures only servers that it starts and ends itself. " +
		"This sweep has the command inside; run servematrix within a container of " + found.image
	if len(found.options) > 0 {
		note += ", started with " + strings.Join(found.options, " ")
	}
	c.Notes = append(c.Notes, note)
}
