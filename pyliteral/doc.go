// Package pyliteral reads what Python programs print of themselves: literals (the repr of
// numbers, strings, None, True, False, lists, tuples, dicts) and the arguments of a call such
// as Namespace(a=1, b=None) or ServerArgs(...). Nothing is executed, and hostile or damaged
// text costs no more than bounded time and stack. It is used for the lines of benchmark
// clients (package result) and of servers (package effective).
package pyliteral
