package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// maxHeader bounds what a server can say before its answer.
const maxHeader = 64 << 10

// newTransport connects as opt says. A connection is kept for each request in flight, or shared
// between them with HTTP/2.
func newTransport(opt Options) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:                  proxy,
		DialContext:            dialer.DialContext,
		Protocols:              new(http.Protocols),
		MaxIdleConnsPerHost:    1 << 20,
		IdleConnTimeout:        time.Minute,
		DisableCompression:     true,
		TLSHandshakeTimeout:    30 * time.Second,
		TLSClientConfig:        &tls.Config{InsecureSkipVerify: opt.Insecure}, //nolint:gosec // asked for
		MaxResponseHeaderBytes: maxHeader,
		ReadBufferSize:         2 << 10, // each stream has these two
		WriteBufferSize:        2 << 10,
	}
	if opt.CACert != "" {
		t.TLSClientConfig.RootCAs, _ = readCA(opt.CACert) // CheckFiles has read it once
	}
	if opt.UnixSocket != "" {
		t.Proxy = nil
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", opt.UnixSocket)
		}
	}
	t.Protocols.SetHTTP1(!opt.HTTP2)
	t.Protocols.SetHTTP2(opt.HTTP2)
	t.Protocols.SetUnencryptedHTTP2(opt.HTTP2)
	return t
}

// proxy follows the environment, but never for this host: loopback, and 0.0.0.0, which
// sglang.bench_serving uses for it and which http.ProxyFromEnvironment would send to a proxy.
func proxy(r *http.Request) (*url.URL, error) {
	host := r.URL.Hostname()
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// readCA reads the certificates of the authorities that are trusted instead of the system's.
func readCA(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--ca-cert: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("--ca-cert %s holds no certificate in PEM", path)
	}
	return pool, nil
}
