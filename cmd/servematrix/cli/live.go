package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"servematrix/journal"
	"servematrix/live"
)

func newLive(env Env) *cobra.Command {
	var port int
	var attached bool
	cmd := &cobra.Command{
		Use:   "live [RUN]",
		Short: "Show the report of a run as a page that grows, in a browser on this machine",
		Long: `Serves the HTML report of RUN on 127.0.0.1, and nowhere else: the page grows while the run goes on,
and says when it has ended. RUN is a run folder or its name under ./runs; without it the newest there.

The link is printed on stderr. It lets one browser in, once; Enter prints a new one. Ctrl-C ends
the page and not the run. While no page is open nothing is read and nothing is drawn.

Exit codes: 0 ended by Ctrl-C · 2 usage, or there is no such run · 6 the port is taken`,
		Example: "  servematrix live runs/quickstart-20260102T030405Z --port 8080",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := openRun(env, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if attached {
				return servePage(cmd.Context(), env, folder)
			}
			l, err := listenLive(port)
			if err != nil {
				return err
			}
			return showPage(cmd.Context(), env, folder, l)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "port of 127.0.0.1 (default: any free one)")
	cmd.Flags().BoolVar(&attached, "attached", false, "be the page of run --live")
	_ = cmd.Flags().MarkHidden("attached") // it is there: nothing can fail
	return cmd
}

func listenLive(port int) (net.Listener, error) {
	l, err := live.Listen(port)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &exitError{code: exitPreflight, err: fmt.Errorf("port %d for the live page is taken", port), hint: "give another one; without a number any free port is taken"}
	case err != nil:
		return nil, usageError("the live page cannot be served: %w", err)
	}
	return l, nil
}

// showPage serves the page until Ctrl-C. Each line that is typed gives a new link.
func showPage(ctx context.Context, env Env, folder journal.Folder, l net.Listener) error {
	ctx, release := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer release()
	behindOthers()
	server := live.New(folder, l)
	tellLink(env, env.Stderr, server.Link(), l.Addr())
	fmt.Fprintln(env.Stderr, "  It lets one browser in, once. Enter prints a new one; Ctrl-C ends the page and not the run.")
	signal.Ignore(syscall.SIGTTIN) // in the background nobody types
	go func() {
		for lines := bufio.NewScanner(env.Stdin); lines.Scan(); {
			tellLink(env, env.Stderr, server.Link(), l.Addr())
		}
	}()
	return server.Serve(ctx)
}

// tellLink prints where the page is, and for who came over ssh how to get there.
func tellLink(env Env, w io.Writer, link string, address net.Addr) {
	fmt.Fprintf(w, "live: %s\n", link)
	if _, remote := env.Getenv("SSH_CONNECTION"); !remote {
		return
	}
	host, err := os.Hostname()
	if err != nil {
		host = "HOST"
	}
	_, port, _ := net.SplitHostPort(address.String())
	fmt.Fprintf(w, "  from your machine, first: ssh -L %s:127.0.0.1:%s %s\n", port, port, host)
}

// servePage is the page of run --live: its listener is inherited, the token is the first line of
// stdin, and stdin ends when the run is over, however that came.
func servePage(ctx context.Context, env Env, folder journal.Folder) error {
	defer unhung()()
	ctx, release := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer release()
	behindOthers()
	file := os.NewFile(inherited, "listener")
	l, err := net.FileListener(file)
	if err != nil {
		return usageError("--attached is for run --live: %w", err)
	}
	file.Close()
	stdin := bufio.NewReader(env.Stdin)
	token, err := stdin.ReadString('\n')
	if err != nil {
		return errors.Join(l.Close(), err)
	}
	server := live.New(folder, l)
	server.Admit(strings.TrimSuffix(token, "\n"))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // until the run closes it, or is gone
		amongOthers()
		server.Finish(ctx)
		cancel()
	}()
	return server.Serve(ctx)
}

// inherited is the descriptor of the listener that run --live hands on: the first extra one.
const inherited = 3

// behindOthers lets this process work on one processor, and there only where nobody else wants to.
func behindOthers() {
	runtime.GOMAXPROCS(1)
	if unix.Getpgrp() == unix.Getpid() { // the group is ours alone: its priority is that of all our threads
		_ = unix.Setpriority(unix.PRIO_PGRP, 0, leastNice) // to be lower is always allowed
	}
}

// amongOthers takes that back where it is allowed: with the run its measurements have ended.
func amongOthers() {
	runtime.GOMAXPROCS(runtime.NumCPU())
	if unix.Getpgrp() == unix.Getpid() {
		_ = unix.Setpriority(unix.PRIO_PGRP, 0, 0) // to be higher takes a right that most lack
	}
}

const leastNice = 19
