package report

import (
	"regexp"
	"testing"

	"servematrix/compare"
	"servematrix/stats"
)

func TestSayings(t *testing.T) {
	c := comparison{&compare.Result{Primary: "output_throughput", Arms: []string{"a=x", "a=y"}, Confidence: .95, MinEffect: .02}, nil}
	for english, want := range map[string]string{
		"3 things are compared at once": "同时比较了 3 项",
		"2 flags differ (--a, --b) and 1 environment variable differs (X) and client the program differs, so that the effect cannot be put down to one of them": "2 个参数不同（--a, --b），1 个环境变量不同（X），客户端程序不同，因此效果无法归因于其中某一项",
		"host kernel, driver and 2 more differ too":                                                              "host kernel, driver and 2 more 也不同",
		"all starts of the baseline came before those of a=$1, so that a drift of the host looks like an effect": "基线的所有启动都早于 a=$1，主机的漂移看起来会像是效果",
		"in 1 cell one start per arm allows no verdict":                                                          "1 个单元每组只有一次启动，无法得出结论",
		"2 cells have no valid mean_ttft_ms in one of the arms":                                                  "2 个单元在其中一组没有有效的 mean_ttft_ms",
		"flag --x (what is compared) (in 2 of 4 cells)":                                                          "参数 --x（比较对象）（4 个单元中的 2 个）",
		"client flag --x (without effect)":                                                                       "客户端参数 --x（无影响）",
		compare.KindOrder + " of the starts":                                                                     "启动的先后",
		compare.Absent:                                                                                           "无",
		needed(12) + "; a=y: " + lost(compare.Lost{Invalid: 1, Failed: 2, Why: []string{"oom"}}):                 "每组约需 12 次启动；a=y：1 次无效，2 次失败 (oom)",
		needed(stats.MostNeeded + 1):                                                                             "每组需要超过 1000 次启动",
		"what nobody says":                                                                                       "what nobody says",
	} {
		if got := inChinese(english).ZH; got != want {
			t.Errorf("%s:\n%s, not\n%s", english, got, want)
		}
	}
	for _, p := range []compare.Pair{{}, {BaselineStarts: 1}, {ArmStarts: 1}, {BaselineStarts: 1, ArmStarts: 1}, {BaselineStarts: 1, ArmStarts: 1, ArmWith: 1}, {BaselineStarts: 1, ArmStarts: 1, BaselineWith: 1}, {BaselineStarts: 1, ArmStarts: 1, BaselineWith: 1, ArmWith: 1}} {
		p.Arm = "a=y"
		if zh := inChinese(c.without(&p)); englishLeft.MatchString(zh.ZH) || zh.ZH == zh.EN {
			t.Errorf("%q is %q in Chinese", zh.EN, zh.ZH)
		}
	}
}

// englishLeft finds two English words behind one another: no name of a metric is that.
var englishLeft = regexp.MustCompile(`[A-Za-z]{2,} [A-Za-z]{2,}`)
