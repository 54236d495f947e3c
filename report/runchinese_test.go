package report

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestHappenings(t *testing.T) {
	for english, want := range map[string]string{
		"torch.OutOfMemoryError: CUDA out of memory; retry (the server ended with signal 9 (SIGKILL))":                    "torch.OutOfMemoryError: CUDA out of memory；retry（服务端以 signal 9 (SIGKILL) 结束）",
		"the server ended with exit 1 while the client ran":                                                               "服务端在客户端运行期间以 exit 1 结束",
		"the server failed between two clients: nobody listens on its port 30000 any more, though its main process lives": "服务端在两个客户端之间失效：已无进程监听其端口 30000，但主进程仍在",
		`not ready after 30m0s: no log line matched "ready"`:                                                              `30m0s 后仍未就绪：没有日志行匹配 "ready"`,
		"the client ended with exit 2; its last line: KeyError: 'x'":                                                      "客户端以 exit 2 结束；最后一行：KeyError: 'x'",
		"12 of 128 requests failed: 503":                                                                                  "128 个请求中有 12 个失败：503",
		"12 of 128 requests were served; no token was generated":                                                          "128 个请求中只完成了 12 个；没有生成任何 token",
		"fa: its end needed SIGKILL (VLLM::Worker)":                                                                       "fa：结束时用了 SIGKILL（VLLM::Worker）",
		"RuntimeError: this is the engine's own; and so is this":                                                          "RuntimeError: this is the engine's own; and so is this",
		"hook before_run failed: exit 3; its last line: no such device: cuda:9":                                           "钩子 before_run 失败：exit 3；最后一行：no such device: cuda:9",
	} {
		if got := happened(english).ZH; got != want {
			t.Errorf("%s:\n%s, not\n%s", english, got, want)
		}
	}
}

func TestEveryReasonHasWords(t *testing.T) {
	reference, err := os.ReadFile("../docs/reference/results.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(reference), "### Validity reasons")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` ").FindAllStringSubmatch(section, -1)
	if len(rows) != len(reasonWords) {
		t.Errorf("%d reasons in words, %d in the documentation", len(reasonWords), len(rows))
	}
	for _, row := range rows {
		if words := reasonWords[row[1]]; words.EN == "" || words.ZH == "" {
			t.Errorf("%s has no words", row[1])
		}
	}
}
