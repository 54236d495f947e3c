package orchestrator

import "golang.org/x/sys/unix"

func readOnly(st unix.Statfs_t) bool { return st.Flags&unix.ST_RDONLY != 0 }
