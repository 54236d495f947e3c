package engine

import (
	"path/filepath"
	"strings"

	"servematrix/matrix"
)

// overwritten warns of a file of requests of the embedded client to which several measurements
// write: each begins it anew. (Results are appended to theirs.)
func (k *completion) overwritten(p *matrix.Plan) {
	files := map[string]string{} // of clients, by id
	for _, cl := range p.Clients {
		r, is := ownReading(cl.Argv)
		if !is || k.refused[cl] {
			continue
		}
		file, _ := r.Args().Value(outputRequests)
		switch {
		case file == "" || isLate(file) || strings.HasPrefix(file, "/dev/"):
		case filepath.IsAbs(file):
			files[cl.ID] = file
		default:
			files[cl.ID] = filepath.Join(cl.Dir, file)
		}
	}
	if len(files) == 0 {
		return
	}
	times := map[string]int{} // a file is written
	for _, cell := range p.Cells {
		if file := files[cell.Client]; file != "" {
			times[file] += max(1, p.Run.Blocks)
		}
	}
	for _, cl := range p.Clients {
		file := files[cl.ID]
		if file == "" || times[file] < 2 {
			continue
		}
		inDir := "${{ late.dir }}/" + filepath.Base(file)
		fix := outputRequests + " " + inDir
		if given(&cl.Variant, "bench") {
			fix = `output_requests: "` + inDir + `"`
		}
		k.report(matrix.Warning, cl.At, "overwritten", fix, "%d measurements write %s %s, each over the one before", times[file], outputRequests, filepath.Base(file))
	}
}

// outputRequests is the embedded client's flag for a line of each request.
const outputRequests = "--output-requests"
