package logfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Next finds the first stretch of data at or after offset: it begins at data and
// ends before end. Where there is none up to the end of the file both are the
// file's size. A file system that knows no holes has one stretch.
func Next(f *os.File, offset int64) (data, end int64, err error) {
	data, err = unix.Seek(int(f.Fd()), offset, unix.SEEK_DATA)
	if err == nil {
		end, err = unix.Seek(int(f.Fd()), data, unix.SEEK_HOLE)
	}
	if err == nil {
		return data, end, nil
	}
	info, serr := f.Stat()
	if serr != nil {
		return 0, 0, serr
	}
	size := max(info.Size(), offset)
	switch {
	case errors.Is(err, unix.ENXIO): // nothing but a hole behind offset
		return size, size, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EOPNOTSUPP): // a file system that cannot tell
		return offset, size, nil
	}
	return 0, 0, fmt.Errorf("look for data in %s: %w", f.Name(), err)
}

// Newest is where the last stretch of data begins: what was written since the
// last hole. 0 in a file without holes.
func Newest(f *os.File) (int64, error) {
	last := int64(0)
	for offset := int64(0); ; {
		data, end, err := Next(f, offset)
		if err != nil || data == end {
			return last, err
		}
		last, offset = data, end
	}
}

// Size writes a number of bytes for people: "1.2 GiB".
func Size(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	v, unit := float64(n), "KiB"
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		if v /= 1 << 10; v < 1<<10 {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}
