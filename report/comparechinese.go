package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"servematrix/page"
)

// saying is a sentence that is written in English, and the same in Chinese.
type saying struct {
	en *regexp.Regexp
	zh string // with $1, $2 for the groups of en; those of inner are put into Chinese too
}

// sayings makes a table of sentences of pairs: what is said, as a regular expression, and in Chinese.
// The table is made when it is asked for: the expressions are as many as the program has besides.
func sayings(pairs [][2]string) func() []saying {
	return sync.OnceValue(func() (all []saying) {
		for _, s := range pairs {
			all = append(all, saying{regexp.MustCompile(`^(?:` + s[0] + `)$`), s[1]})
		}
		return all
	})
}

const drift = ", so that a drift of the host looks like an effect"

// comparisons are all sentences that compare and this package say of a comparison; a test holds them
// against what is said.
var comparisons = sayings([][2]string{
	{`(\d+) things are compared at once`, `同时比较了 $1 项`},
	{`(?P<inner>.+), so that the effect cannot be put down to one of them`, `$1，因此效果无法归因于其中某一项`},
	{`the arms were measured in different runs` + drift, `各组在不同的运行中测得，主机的漂移看起来会像是效果`},
	{`all starts of the baseline came before those of (.+)` + drift, `基线的所有启动都早于 $1，主机的漂移看起来会像是效果`},
	{`all starts of (.+) came before those of the baseline` + drift, `$1 的所有启动都早于基线，主机的漂移看起来会像是效果`},
	{`in (\d+) cells? starts were left out because they failed or are invalid`, `$1 个单元中有启动因失败或无效而未计入`},
	{`(\d+) cells? (?:has|have) no valid (\S+) in one of the arms`, `$1 个单元在其中一组没有有效的 $2`},
	{`nothing that is known differs between the arms`, `已知内容中各组没有差异`},
	{`one start per arm allows no verdict`, `每组只有一次启动，无法得出结论`},
	{`in (\d+) cells? one start per arm allows no verdict`, `$1 个单元每组只有一次启动，无法得出结论`},
	{`one start per arm`, `每组只有一次启动`},
	{`neither arm has a valid start`, `两组都没有有效的启动`},
	{`(.+) has no valid start`, `$1 没有有效的启动`},
	{`no start has (\S+)`, `没有一次启动有 $1`},
	{`no start of (.+) has (\S+)`, `$1 没有一次启动有 $2`},
	{`no block has (\S+) of both arms`, `没有一轮同时有两组的 $1`},
	{`p (\S+) after Holm`, `Holm 校正后 p 为 $1`},
	{`less than (\S+) %`, `小于 $1 %`},
	{`about (\d+) starts per arm`, `每组约需 $1 次启动`},
	{`more than (\d+) starts per arm`, `每组需要超过 $1 次启动`},
	{`value (\d+) of the (?:baseline) is (\S+): a ratio needs finite values above zero`, `基线的第 $1 个值为 $2：比值需要大于零的有限值`},
	{`value (\d+) of the (?:arm) is (\S+): a ratio needs finite values above zero`, `对照组的第 $1 个值为 $2：比值需要大于零的有限值`},
	{`a baseline of (\d+) values and an arm of (\d+) make no pairs`, `基线的 $1 个值与对照组的 $2 个值无法配对`},
	{`(.+): (?P<inner>\d+ (?:invalid|failed|skipped).*)`, `$1：$2`},
	{`(?P<inner>\d+ (?:invalid|failed|skipped)), (?P<innerb>\d+ .+)`, `$1，$2`},
	{`(?P<inner>\d+ (?:invalid|failed|skipped)) (\(.+\))`, `$1 $2`},
	{`(\d+) invalid`, `$1 次无效`}, {`(\d+) failed`, `$1 次失败`}, {`(\d+) skipped`, `$1 次跳过`},
	{`(?P<inner>.+ differs? \(.+\)|.*the program differs) and (?P<inner2>.+ differs? \(.+\)|.*the program differs)`, `$1，$2`},
	{`(\d+) (client )?flags? differs? \((.+)\)`, `$1 个$2参数不同（$3）`},
	{`(\d+) (client )?environment variables? differs? \((.+)\)`, `$1 个$2环境变量不同（$3）`},
	{`(\d+) (client )?ax[ei]s differs? \((.+)\)`, `$1 个$2坐标轴不同（$3）`},
	{`(\d+) (client )?keys? of the configuration differs? \((.+)\)`, `$1 个$2配置项不同（$3）`},
	{`(client )?the program differs`, `$1程序不同`},
	{`(.+) differs? too`, `$1 也不同`},
	{`Nothing but the commands tells which cells belong together: each variant is set against the one that differs least from it\.`, `只有命令能说明哪些单元相互对应：每个变体与差异最小的那个比较。`},
	{`The sweep of (.+) has another primary metric, (\S+); (\S+) counts\.`, `$1 的扫描以 $2 为主要指标；这里以 $3 为准。`},
	{`(?P<inner>.+) \(what is compared\)`, `$1（比较对象）`},
	{`(?P<inner>.+) \(without effect\)`, `$1（无影响）`},
	{`(?P<inner>.+) \(in (\d+) of (\d+) cells\)`, `$1（$3 个单元中的 $2 个）`},
	{`order of the starts`, `启动的先后`},
	{`starts that are valid`, `有效启动次数`},
	{`client (?P<inner>(?:flag|env|command|axis|configuration).*)`, `客户端$1`},
	{`flag (.+)`, `参数 $1`}, {`env (.+)`, `环境变量 $1`}, {`command(.*)`, `命令$1`}, {`axis (.+)`, `坐标轴 $1`}, {`configuration (.+)`, `配置项 $1`},
	{`absent`, `无`},
})

// inChinese says a sentence of a comparison in both languages; names stay what they are.
func inChinese(sentence string) page.Text { return inBoth(comparisons(), sentence) }

// inBoth says a sentence in both languages. One that no saying knows stays English.
func inBoth(all []saying, sentence string) page.Text {
	var zh strings.Builder
	before := false // was the part before put into Chinese
	for i, part := range strings.Split(sentence, "; ") {
		words := said(all, part)
		known := words != part
		switch {
		case i == 0:
		case known || before:
			zh.WriteString("；")
		default:
			zh.WriteString("; ")
		}
		zh.WriteString(words)
		before = known
	}
	return page.Text{EN: sentence, ZH: zh.String()}
}

func said(all []saying, part string) string {
	for _, s := range all {
		groups := s.en.FindStringSubmatch(part)
		if groups == nil {
			continue
		}
		var values []string
		for i, name := range s.en.SubexpNames() {
			if i == 0 {
				continue
			}
			text := groups[i]
			if strings.HasPrefix(name, "inner") {
				text = said(all, text)
			}
			if text == "client " {
				text = "客户端"
			}
			values = append(values, "$"+strconv.Itoa(i), text)
		}
		return strings.NewReplacer(values...).Replace(s.zh)
	}
	return part
}
