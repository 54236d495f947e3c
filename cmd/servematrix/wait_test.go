package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// patience bounds every wait of a test; a machine under load is slow, not wrong.
const patience = 60 * time.Second

// eventually waits until something is so, and tells whether it became so.
func eventually(done func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if done() {
			return true
		}
	}
	return false
}

// holds tells whether a file of the pattern holds a text.
func holds(pattern, text string) bool {
	paths, _ := filepath.Glob(pattern)
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}

// listens tells whether somebody does on a port.
func listens(port string) bool {
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err == nil {
		c.Close()
	}
	return err == nil
}
