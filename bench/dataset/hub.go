package dataset

import (
	"os"
	"path/filepath"
	"strings"
)

// hub is a file of a repository in Hugging Face's cache on this machine, where it was downloaded
// before; kind is models or datasets. The layout is that of huggingface_hub's cache, and getenv
// says where that is.
func hub(getenv func(string) string, kind, repository, name string) (string, bool) {
	cache := getenv("HF_HUB_CACHE")
	if home := getenv("HF_HOME"); cache == "" && home != "" {
		cache = filepath.Join(home, "hub")
	}
	if cache == "" {
		home := getenv("HOME")
		if home == "" {
			return "", false
		}
		cache = filepath.Join(home, ".cache", "huggingface", "hub")
	}
	folder := filepath.Join(cache, kind+"--"+strings.ReplaceAll(repository, "/", "--"))
	revision, err := os.ReadFile(filepath.Join(folder, "refs", "main"))
	if err != nil {
		return "", false
	}
	path := filepath.Join(folder, "snapshots", strings.TrimSpace(string(revision)), name)
	return path, exists(path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
