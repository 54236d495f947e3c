package command

import (
	"path"
	"slices"
	"strings"
)

// wrapper is what is known of a program that runs the command behind its own options.
type wrapper struct {
	values string // options whose value is the next word
	words  int    // of its own before the command, such as the duration of timeout
	any    bool   // it runs any program, on this machine and as this user, and means the same with it
}

// wrappers by their names. Options that are not listed count as options without a value.
var wrappers = map[string]*wrapper{
	"cgexec":      {values: "-g", any: true},
	"chrt":        {values: "-D -P -T --sched-deadline --sched-period --sched-runtime", words: 1, any: true},
	"command":     {},
	"conda":       {values: "-n -p --name --prefix --cwd", words: 1},
	"doas":        {values: "-C -u"},
	"dumb-init":   {values: "-r --rewrite"},
	"env":         {values: "-C -u --chdir --unset", any: true},
	"exec":        {values: "-a"},
	"ionice":      {values: "-c -n --class --classdata", any: true},
	"mamba":       {values: "-n -p --name --prefix --cwd", words: 1},
	"micromamba":  {values: "-n -p --name --prefix --cwd", words: 1},
	"ncu":         {values: "-c -f -k -o -s --export --kernel-name --launch-count --launch-skip --metrics --section --set --target-processes"},
	"nice":        {values: "-n --adjustment", any: true},
	"nohup":       {any: true},
	"nsys":        {values: "-b -c -d -e -f -o -s -t -y --capture-range --capture-range-end --cuda-graph-trace --delay --duration --env-var --export --force-overwrite --output --sample --trace", words: 1},
	"numactl":     {values: "-C -N -P -i -m -p --cpunodebind --interleave --membind --physcpubind --preferred --preferred-many", any: true},
	"perf":        {values: "-C -F -c -e -g -o -p -r -t --call-graph --cpu --event --freq --output --repeat", words: 1},
	"pixi":        {values: "-e --environment --manifest-path", words: 1},
	"poetry":      {values: "-C -P --directory --project", words: 1},
	"prlimit":     {any: true},
	"py-spy":      {values: "-d -f -o -r --duration --format --output --rate", words: 1},
	"setsid":      {any: true},
	"srun":        {values: "-A -C -D -G -J -N -c -e -i -m -n -o -p -q -t -w -x --account --chdir --constraint --container-image --container-mounts --cpus-per-task --error --gpus --gpus-per-node --gpus-per-task --gres --job-name --mem --mpi --nodelist --nodes --ntasks --ntasks-per-node --output --partition --qos --time"},
	"stdbuf":      {values: "-e -i -o --error --input --output", any: true},
	"strace":      {values: "-E -I -O -P -S -X -a -b -e -o -p -s -u"},
	"sudo":        {values: "-C -D -R -T -U -g -h -p -r -t -u --chdir --chroot --close-from --group --host --prompt --user"},
	"systemd-run": {values: "-E -H -M -p -t -u --description --gid --nice --property --service-type --setenv --slice --uid --unit --working-directory"},
	"taskset":     {words: 1, any: true},
	"time":        {values: "-f -o --format --output", any: true},
	"timeout":     {values: "-k -s --kill-after --signal", words: 1, any: true},
	"tini":        {values: "-e -p"},
	"torchrun":    {values: "--log-dir --master-addr --master-port --max-restarts --nnodes --node-rank --nproc-per-node --rdzv-backend --rdzv-conf --rdzv-endpoint --rdzv-id --role --nproc_per_node --master_addr --master_port --node_rank"},
	"unbuffer":    {},
	"uv":          {values: "-p --directory --env-file --extra --group --index --index-url --project --python --with --with-editable --with-requirements", words: 1},
	"uvx":         {values: "-p --from --index --index-url --python --with --with-editable --with-requirements"},
}

// Wrappers are the names of those behind which any program can stand.
func Wrappers() (names []string) {
	for name, w := range wrappers {
		if w.any {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// program is the place of the command that the wrapper runs; len(argv) where it runs none.
func (w *wrapper) program(argv []string) int {
	own := w.words
	for i := 1; i < len(argv); i++ {
		switch word := argv[i]; {
		case word == "--":
			return i + 1
		case strings.HasPrefix(word, "-") && len(word) > 1:
			if slices.Contains(strings.Fields(w.values), word) {
				i++
			}
		case own == 0:
			return i
		default:
			own--
		}
	}
	return len(argv)
}

// Before gives the words of argv before the program of a reading of it, less those of a Python
// interpreter. keep tells whether another program can stand behind them all the same: they are
// variables and wrappers such as taskset, numactl, env and nice.
func (r Reading) Before(argv []string) (words []string, keep bool) {
	before := len(argv) - len(r.Words)
	if before < 0 || IsScript(argv) || !slices.Equal(argv[before:], r.Words) {
		return nil, false
	}
	for i := 0; i < before; {
		switch name := path.Base(argv[i]); {
		case isAssignment(argv[i]):
			i++
		case isPython(name):
			return argv[:i], i+pythonProgram(argv[i:]) == before
		case wrappers[name] == nil || !wrappers[name].any:
			return argv[:before], false
		default:
			i += wrappers[name].program(argv[i:])
		}
	}
	return argv[:before], true
}
