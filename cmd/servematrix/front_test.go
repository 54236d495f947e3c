package main

import (
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
)

// front is a program for scripts: front URL PORT SOCKET CA PORT answers for the server at URL over
// HTTP/2 alone, without TLS, on the first port, over plain HTTP on a unix socket, and over TLS on the
// last port, with a certificate that it writes into CA.
func front() {
	to, err := url.Parse(os.Args[1])
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "front:", err)
			os.Exit(1)
		}
	}
	check(err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	secure := httptest.NewUnstartedServer(proxy)
	secure.Listener.Close()
	secure.Listener, err = net.Listen("tcp", "127.0.0.1:"+os.Args[5])
	check(err)
	secure.StartTLS()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	check(os.WriteFile(os.Args[4], ca, 0o600))
	socket, err := net.Listen("unix", os.Args[3])
	check(err)
	go func() { check(http.Serve(socket, proxy)) }()
	var two http.Protocols
	two.SetUnencryptedHTTP2(true)
	check((&http.Server{Addr: "127.0.0.1:" + os.Args[2], Handler: proxy, Protocols: &two}).ListenAndServe())
}
