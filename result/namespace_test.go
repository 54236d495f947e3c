package result

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/secret"
)

func TestNamespace(t *testing.T) {
	for line, want := range map[string]map[string]any{
		`Namespace()`:                        {},
		`benchmark_args=Namespace(a=1, b=2)`: {"a": int64(1), "b": int64(2)},
		`Namespace(rate=inf, low=-inf, odd=nan, none=None, yes=True, no=False)`: {
			"rate": "inf", "low": "-inf", "odd": "nan", "none": nil, "yes": true, "no": false},
		`Namespace(f=1.0, e=1e-05, n=-3, m=-0.5, big=123456789012345678901234567890)`: {
			"f": 1.0, "e": 1e-05, "n": int64(-3), "m": -0.5, "big": "123456789012345678901234567890"},
		`Namespace(s='a, b=c)', d="it's", esc='x\'y\n', path='/dev/shm/')`: {
			"s": "a, b=c)", "d": "it's", "esc": "x'y\n", "path": "/dev/shm/"},
		`Namespace(l=['CPU', 'GPU'], t=(1, 2.5), e=[], one=(1,))`: {
			"l": []any{"CPU", "GPU"}, "t": []any{int64(1), 2.5}, "e": []any{}, "one": []any{int64(1)}},
		`Namespace(d={'image': 255, (256, 256, 1): 0.5})`: {
			"d": map[string]any{"image": int64(255), "[256 256 1]": 0.5}},
		// What is no literal leaves its own value unknown, and no other.
		`Namespace(a=1, f=<function Sub.cmd at 0x7f95, in (x, y)>, b=2)`:       {"a": int64(1), "b": int64(2)},
		`Namespace(e=<Enum.X: 'it, is'>, o=<bound <A object at 0x1> of>, b=2)`: {"b": int64(2)},
		`Namespace(c=LoggingConfig(level='INFO', x=None), b=2)`:                {"b": int64(2)},
		`Namespace(x=open('/etc/passwd'), y=1+1, z=[1, f()], b=2)`:             {"b": int64(2)},
		`Namespace(lambda=1, class='x', b=2)`:                                  {"lambda": int64(1), "class": "x", "b": int64(2)},
		// Cut off: what is whole counts.
		`Namespace(a=1, b='unfinished`: {"a": int64(1)},
		`Namespace(a=1, b=25`:          {"a": int64(1)},
		// Credentials.
		`Namespace(api_key='sk-1', admin_api_key=None, hf_token='hf_x', header=['Authorization: Bearer abcdefghijklmnop'], eos_token=3)`: {
			"api_key": secret.Mask, "admin_api_key": nil, "hf_token": secret.Mask,
			"header": []any{"Authorization: Bearer " + secret.Mask}, "eos_token": int64(3)},
	} {
		got, err := parseNamespace(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", line, diff)
		}
	}
	if _, err := parseNamespace("Traffic request rate: inf"); !errors.Is(err, errNoNamespace) {
		t.Errorf("err = %v", err)
	}
}
