package process

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCgroupPlace holds what /proc/self/cgroup and /proc/self/mountinfo looked
// like on several kinds of hosts against the folder that they mean.
func TestCgroupPlace(t *testing.T) {
	const (
		v2     = "30 24 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n"
		root   = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
		hybrid = "31 24 0:27 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,mode=755\n" +
			"32 31 0:28 / /sys/fs/cgroup/unified rw,nosuid,nodev,noexec,relatime shared:10 - cgroup2 cgroup2 rw\n" +
			"33 31 0:29 / /sys/fs/cgroup/systemd rw,nosuid,nodev,noexec,relatime shared:11 - cgroup cgroup rw,xattr,name=systemd\n"
		v1 = "33 31 0:29 / /sys/fs/cgroup/systemd rw,nosuid,nodev,noexec,relatime shared:11 - cgroup cgroup rw,xattr,name=systemd\n"
	)
	tests := []struct {
		name           string
		groups, mounts string
		want           string
		mounted        bool
	}{
		{"a login over ssh", "0::/user.slice/user-1000.slice/session-3.scope\n", root + v2,
			"/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope", true},
		{"delegated: systemd-run --user --scope -p Delegate=yes", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-u5.scope\n", root + v2,
			"/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/run-u5.scope", true},
		{"a container with a cgroup namespace", "0::/\n",
			"612 605 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate\n", "/sys/fs/cgroup", true},
		{"a container without one", "0::/system.slice/docker-4f1c.scope\n",
			"612 605 0:26 /system.slice/docker-4f1c.scope /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw\n", "/sys/fs/cgroup", true},
		{"below what is mounted", "0::/system.slice/docker-4f1c.scope/init\n",
			"612 605 0:26 /system.slice/docker-4f1c.scope /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "/sys/fs/cgroup/init", true},
		{"outside of what is mounted", "0::/system.slice/ssh.service\n",
			"612 605 0:26 /system.slice/docker-4f1c.scope /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "", true},
		{"entered a namespace from outside", "0::/../session-2.scope\n", root + v2, "", true},
		{"another mount shows it", "0::/a/b\n",
			"612 605 0:26 /c /mnt/c rw - cgroup2 cgroup rw\n" + "613 605 0:26 /a /mnt/a rw - cgroup2 cgroup rw\n", "/mnt/a/b", true},
		{"hybrid", "4:memory:/process/1\n1:cpu:/\n0::/\n", root + hybrid, "/sys/fs/cgroup/unified", true},
		{"version 1 alone", "4:memory:/process/1\n1:name=systemd:/\n", root + v1, "", false},
		{"blanks in a mount's path", "0::/x\n", "612 605 0:26 / /mnt/my\\040group\\134 rw - cgroup2 cgroup rw\n", `/mnt/my group\/x`, true},
		{"a name that begins with dots", "0::/..x/y\n", root + v2, "/sys/fs/cgroup/..x/y", true},
		{"no process", "", root + v2, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, mounted := cgroupPlace(tt.groups, tt.mounts)
			if got != tt.want || mounted != tt.mounted {
				t.Errorf("got %q, %v; want %q, %v", got, mounted, tt.want, tt.mounted)
			}
		})
	}
}

// TestForsakenLeaves: only the empty leaves of guards that are gone are removed.
func TestForsakenLeaves(t *testing.T) {
	w := newWorld(t)
	p := w.start(w.spec("here", "block"))
	if p.Cgroup() == "" {
		t.Skip("no cgroup v2 that can be written to")
	}
	w.here(1)
	parent := filepath.Dir(p.Cgroup())
	idle := w.prepare() // an empty leaf whose guard lives
	defer idle.Discard()
	dead, foreign := filepath.Join(parent, "servematrix-999999999-1"), filepath.Join(parent, "somebodys-999999999-1")
	for _, dir := range []string{dead, filepath.Join(dead, "inner"), foreign} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Remove(foreign)
	EndLeftovers(t.Context(), nil, 0)
	for dir, want := range map[string]bool{dead: false, foreign: true, p.Cgroup(): true, string(idle.cgroup): true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", dir, err == nil, want)
		}
	}
}
