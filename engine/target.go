package engine

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"servematrix/command"
	"servematrix/matrix"
)

// targets warns of clients that do not go to the port of their server. It asks
// each client once, not each cell.
func (k *completion) targets(p *matrix.Plan) {
	ports := map[string]string{} // of servers whose port is known, by id
	var first string             // the port that all servers have
	same := true
	for i, s := range p.Servers {
		ports[s.ID] = s.Port
		if i == 0 {
			first = s.Port
		}
		same = same && s.Port == first
	}
	goes := map[string]string{} // clients that go to one certain port
	clients := map[string]*matrix.Client{}
	for _, cl := range p.Clients {
		profile := k.catalog.Client(cl.Profile)
		port := profile.Target.port(arguments(cl.Argv, profile.Match))
		if port == "" || isLate(port) || same && port == first || k.refused[cl] {
			continue
		}
		goes[cl.ID], clients[cl.ID] = port, cl
	}
	for _, cell := range p.Cells {
		if len(goes) == 0 {
			return
		}
		port, server := goes[cell.Client], ports[cell.Server]
		if port == "" || server == "" || port == server {
			continue
		}
		cl := clients[cell.Client]
		delete(goes, cell.Client) // once for a client
		what := "port " + server
		if isLate(server) {
			what = "a port that is chosen at run time"
		}
		fix := k.catalog.Client(cl.Profile).Target.fix(arguments(cl.Argv, k.catalog.Client(cl.Profile).Match))
		k.report(matrix.Warning, cl.At, "client-port", fix, "the client goes to port %s, but its server listens on %s", port, what)
	}
}

// port is where a client goes, "" where that is not known.
func (t Target) port(a command.Args) string {
	if base, ok := a.Value(t.URL); ok {
		if isLate(base) {
			return base
		}
		u, err := url.Parse(base)
		switch {
		case err != nil || u.Host == "":
			return ""
		case u.Port() != "":
			return u.Port()
		case u.Scheme == "https":
			return "443"
		}
		return "80"
	}
	port, _ := t.Port.in(a)
	return port
}

// fix is what to write so that the client goes to its server.
func (t Target) fix(a command.Args) string {
	if a.Has(t.URL) || t.Port.Flag == "" {
		flag, part, within := strings.Cut(t.URL, " ")
		if within { // as in --backend kind=openai_http,target=URL
			return flag + " …," + part + "=${{ server.url }}" + t.Path
		}
		return flag + " ${{ server.url }}" + t.Path
	}
	return t.Port.Flag + " ${{ server.port }}"
}

// Host is the address at which a server that was started with argv is reached
// from its own machine: the host it listens on, or loopback where that is all
// addresses.
func (p *ServerProfile) Host(argv []string) string {
	host := p.HostFlag.in(arguments(argv, p.Match))
	switch strings.Trim(host, "[]") {
	case "", "0.0.0.0", "*":
		return "127.0.0.1"
	case "::":
		return "::1" // uvicorn does not take IPv4 there
	}
	return strings.Trim(host, "[]")
}

// URL is the base URL of a server that was started with argv and listens on
// port, such as http://127.0.0.1:30000, without a slash at its end.
func (p *ServerProfile) URL(argv []string, port string) string {
	scheme := "http"
	if arguments(argv, p.Match).Has(p.TLS) {
		scheme = "https"
	}
	return fmt.Sprintf("%s://%s", scheme, net.JoinHostPort(p.Host(argv), port))
}

// ResultFile is the file into which a client that was started with argv (the
// sweep's command and what was added to it) writes its result, "" where it
// writes none. dir is the attempt's folder, for ${{ late.dir }}; a relative
// path is relative to the client's working folder. Where the profile's layout has
// a pattern for the file it is the folder to look in, dir where no flag names one.
func (p *ClientProfile) ResultFile(argv []string, dir string) string {
	a := arguments(argv, p.Match)
	var parts []string
	for _, flag := range p.Result.File {
		v, ok := a.Value(flag)
		if !ok {
			continue
		}
		v = lateDir.ReplaceAllLiteralString(v, dir)
		if strings.HasPrefix(v, "/") {
			parts = nil // as os.path.join does
		}
		parts = append(parts, v)
	}
	if p.Layout != nil && p.Layout.File != "" {
		return cmp.Or(strings.Join(parts, "/"), dir)
	}
	// The last flag names the file; without it the client invents a name.
	if n := len(p.Result.File); n == 0 || !a.Has(p.Result.File[n-1]) {
		return ""
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "/")
}

// flag gives the form in which Result.File asks for an added flag: the flag itself,
// by another name too, or the part of its value that counts.
func (r Result) flag(added string) string {
	for _, flag := range r.File {
		if names, _, _ := strings.Cut(flag, " "); command.SameFlag(added, names) {
			return flag
		}
	}
	return added
}

// WithoutResult leaves out the flags by which a command names the place of its result, and tells
// which: Complete adds them for every measurement anew.
func (p *ClientProfile) WithoutResult(argv []string) (rest, left []string) {
	if command.IsScript(argv) {
		return argv, nil
	}
	a := arguments(argv, p.Match)
	before := argv[:len(argv)-len(a)]
	for _, add := range p.Result.Add {
		flag := p.Result.flag(add[0])
		if names, _, _ := strings.Cut(flag, " "); slices.Contains(p.Result.File, flag) && a.Has(names) {
			a, left = a.Without(names), append(left, names)
		}
	}
	return append(slices.Clone(before), a...), left
}
