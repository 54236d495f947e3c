// Package command reads command lines: which word is the program behind wrappers, interpreters
// and shell scripts, which variables are set before it, and which values its flags have.
//
// It knows no engine and no client. What package engine recognises, compare and reference set
// against one another, and result counts, are flags as they are read here.
package command
