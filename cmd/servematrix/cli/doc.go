// Package cli is the command tree: one file a command, which reads its flags,
// calls the packages that do the work and turns errors into exit codes.
//
// Everything it needs of the operating system comes in through Env, so that a
// test can run the whole program. Only main calls it.
package cli
