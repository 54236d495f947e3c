//go:build !linux || servematrix_readonly

package cli

// supervises tells whether this build can start servers and end them. The build
// tag makes such a build on Linux, where the tests can run it.
const supervises = false
