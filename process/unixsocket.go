package process

import (
	"bufio"
	"bytes"
	"os"
)

// unixSocket is a unix socket that is bound to a path.
type unixSocket struct {
	inode uint64 // of the socket, not of the path
	path  string
}

// unixSockets lists the unix sockets of this network namespace that have an
// absolute path: those bound to one, and the connections that they accepted.
func unixSockets() (found []unixSocket) {
	f, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// Num RefCount Protocol Flags Type St Inode Path
		line := lines.Bytes()
		at := bytes.Index(line, []byte(" /"))
		if at < 0 {
			continue
		}
		fields := bytes.Fields(line[:at])
		if len(fields) != 7 {
			continue
		}
		if inode, ok := atou(fields[6]); ok {
			found = append(found, unixSocket{inode, string(line[at+1:])})
		}
	}
	return found
}
