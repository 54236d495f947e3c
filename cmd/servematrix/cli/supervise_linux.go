//go:build !servematrix_readonly

package cli

// supervises tells whether this build can start servers and end them.
const supervises = true
