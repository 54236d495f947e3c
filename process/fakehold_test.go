package process

import (
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// hold does what leaves something beside processes: each command makes or takes
// one object and never lets it go.
func (f *fake) hold(word, rest string) bool {
	page := os.Getpagesize()
	switch word {
	case "map": // make a file and map it as shared memory, as NCCL does
		fd, err := unix.Open(rest, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
		check(err)
		check(unix.Ftruncate(fd, int64(page)))
		_, err = unix.Mmap(fd, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		check(err)
		check(unix.Close(fd))
	case "keep": // make a file and keep it open
		file, err := os.OpenFile(rest, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		check(err)
		f.keep = append(f.keep, file)
	case "read": // open and map a file without writing to it, as weights are
		file, err := os.Open(rest)
		check(err)
		f.keep = append(f.keep, file)
		_, err = unix.Mmap(int(file.Fd()), 0, page, unix.PROT_READ, unix.MAP_SHARED)
		check(err)
	case "write": // open a file that is there
		file, err := os.OpenFile(rest, os.O_RDWR, 0)
		check(err)
		f.keep = append(f.keep, file)
	case "bind": // a unix socket
		l, err := net.Listen("unix", rest)
		check(err)
		f.keep = append(f.keep, l)
	case "sysv": // System V shared memory; its id goes into a file
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, page, unix.IPC_CREAT|0o600)
		check(err)
		_, err = unix.SysvShmAttach(id, 0, 0)
		check(err)
		check(os.WriteFile(rest, []byte(strconv.Itoa(id)), 0o600))
	case "maps": // so many mappings
		n, err := strconv.Atoi(rest)
		check(err)
		for i := range n {
			_, err := unix.Mmap(-1, 0, page, []int{unix.PROT_READ, unix.PROT_READ | unix.PROT_WRITE}[i%2], unix.MAP_PRIVATE|unix.MAP_ANON)
			check(err)
		}
	default:
		return false
	}
	return true
}
