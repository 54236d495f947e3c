// Package draft writes a first sweep from commands that somebody has: pasted
// ones, or those in a shell script.
//
// It compares the commands, makes axes of what differs and keeps what is common
// as the command. It runs nothing and reads no file; what it writes is for a
// person to go on with. The init command calls it.
package draft
