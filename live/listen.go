package live

import (
	"net"
	"strconv"
	"sync"
	"sync/atomic"
)

// Listen takes a port of this machine that no other machine can reach; 0 is any free one.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// Link is the address that lets a browser in which has the token.
func Link(address net.Addr, token string) string {
	return "http://" + address.String() + "/?token=" + token
}

// limited closes connections at once that are more than most at a time.
type limited struct {
	net.Listener
	most int32
	open atomic.Int32
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &counted{Conn: c, left: sync.OnceFunc(func() { l.open.Add(-1) })}, nil
		}
		l.open.Add(-1)
		c.Close()
	}
}

type counted struct {
	net.Conn
	left func()
}

func (c *counted) Close() error {
	c.left()
	return c.Conn.Close()
}
