package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandLine(t *testing.T) {
	got := commandLine([]string{"CUDA_VISIBLE_DEVICES"}, map[string]string{"B": "two words", "A": "1", "E": ""}, []string{
		"python3", "-m", "sglang.launch_server", "--model-path", "/dev/shm/DeepSeek-V3-0324/", "--json={\"a\": 1}", "", "it's", "a\nb", "nul\x00", "x=y", "<redacted>", "!x", "it's!",
	})
	want := `env -u CUDA_VISIBLE_DEVICES A=1 B='two words' E= python3 -m sglang.launch_server --model-path /dev/shm/DeepSeek-V3-0324/ ` +
		`--json='{"a": 1}' '' "it's" $'a\nb' 'nul\x00' 'x=y' '<redacted>' '!x' 'it'\''s!'`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"fa3/tp8":                   "fa3/tp8",
		"a|b*c_d`e":                 "a\\|b\\*c\\_d\\`e",
		"<script>alert(1)</script>": "&lt;script&gt;alert\\(1\\)&lt;/script&gt;",
		"@octocat #12":              "@<!-- -->octocat #<!-- -->12",
		"[x](http://evil)":          "\\[x\\]\\(http://evil\\)",
	} {
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
	if got := fence([]string{"before", "``` <b>", "\x1b[2J"}, ""); got != "````text\nbefore\n``` <b>\n\\x1b[2J\n````\n" {
		t.Errorf("fence gave %q", got)
	}
	if got := code("a`b|c"); got != "`` a`b|c ``" {
		t.Errorf("code gave %q", got)
	}
}

func TestAlignTable(t *testing.T) {
	var b bytes.Buffer
	err := alignTable(&b, []column{{"服务端", false}, {"tok/s", true}, {"备注", false}}, [][]string{{"flashinfer", "1002.94", ""}, {"三角 triton", "9.5", "oom"}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"服务端         tok/s  备注",
		"-----------  -------  ----",
		"flashinfer   1002.94",
		"三角 triton      9.5  oom", "",
	}, "\n")
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCSVText(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "=HYPERLINK(1)": "'=HYPERLINK(1)", "+x": "'+x", "-x": "'-x", "-1": "-1", "+1.5e-3": "+1.5e-3", "-1+2": "'-1+2", "-Inf": "'-Inf", "＝1": "'＝1", "{\"a\":1}": "{\"a\":1}", "@SUM(A1)": "'@SUM(A1)", "two\nlines": `two\nlines`, "\t=1": "    =1",
	} {
		if got := text(in); got != want {
			t.Errorf("text(%q) = %q, want %q", in, got, want)
		}
	}
}
