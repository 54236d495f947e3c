package report

import (
	"servematrix/page"
	"servematrix/result"
)

// happenings are sentences that servematrix itself writes of a run: warnings, failures that no log
// explains, findings against a result. What an engine, a client or the system says stays as it is.
var happenings = sayings([][2]string{
	// How a failure is told.
	{`the server ended with (?P<innerexit>exit \d+|signal \d+ \(\w+\)) (?P<innerwhen>while .+|before .+|between .+)`, `服务端$2以 $1 结束`},
	{`(.+) \(the server ended with (exit \d+|signal \d+ \(\w+\))\)`, `$1（服务端以 $2 结束）`},
	{`the server failed (?P<innerwhen>while .+|before .+|between .+): (?P<inner>.+), though its main process lives`, `服务端$1失效：$2，但主进程仍在`},
	{`the server failed (?P<innerwhen>while .+|before .+|between .+): (?P<inner>.+), then the server with (exit \d+|signal \d+ \(\w+\))`, `服务端$1失效：$2，随后服务端以 $3 结束`},
	{`nobody listens on its port (\d+) any more`, `已无进程监听其端口 $1`},
	{`its worker (.+) ended`, `其工作进程 $1 已结束`},
	{`while the client ran`, `在客户端运行期间`}, {`before the client started`, `在客户端启动前`}, {`between two clients`, `在两个客户端之间`},
	{`the server ended before it was ready`, `服务端在就绪前结束`},
	{`not ready after (\S+): (?P<inner>.+)`, `$1 后仍未就绪：$2`},
	{`not ready after (\S+), and no progress for (\S+) since (".+"): (?P<inner>.+)`, `$1 后仍未就绪，自 $3 起 $2 没有进展：$4`},
	{`no output for (\S+): (?P<inner>.+)`, `$1 没有任何输出：$2`},
	{`no log line matched (".+")`, `没有日志行匹配 $1`},
	{`(\d+) of (\d+) log lines matched (".+")`, `$2 行日志中匹配到 $1 行（$3）`},
	{`the client ended with (exit \d+|signal \d+ \(\w+\)) but left no result: (?P<inner>.+)`, `客户端以 $1 结束，但没有留下结果：$2`},
	{`the client ended with (exit \d+|signal \d+ \(\w+\)): (.+)`, `客户端以 $1 结束：$2`},
	{`the client ended with (exit \d+|signal \d+ \(\w+\))`, `客户端以 $1 结束`},
	{`the client did not end within (\S+) \(client\.timeout\)`, `客户端未在 $1 内结束（client.timeout）`},
	{`its last line: (.+)`, `最后一行：$1`}, {`it says: (.+)`, `其输出：$1`},

	// Warnings.
	{`processes of runs that are over still lived and were ended \((\d+)\), the first was (.+)`, `已结束的运行仍有进程存活，已将其结束（$1 个），第一个是 $2`},
	{`(\d+) processes of launch (\S+) had escaped its guard, the first was (.+)`, `启动 $2 有 $1 个进程脱离了看护，第一个是 $3`},
	{`(\d+) of them could be ended`, `其中 $1 个已被结束`},
	{`(.+): its end needed SIGKILL, and its guard could not see for whom`, `$1：结束时用了 SIGKILL，看护进程看不出是针对哪个进程`},
	{`(.+): its end needed SIGKILL \((.+)\)`, `$1：结束时用了 SIGKILL（$2）`},
	{`(.+) is not of this run: what is measured beside it can be wrong(.*)`, `$1 不属于本次运行：与它同时测得的结果可能有误$2`},
	{`hook (\S+) failed: (.+)`, `钩子 $1 失败：$2`},
	{`launch (\S+) left (.+)`, `启动 $1 残留了 $2`},
	{`(.+): (.+) did not empty the caches`, `$1：$2 未能清空缓存`},
	{`(.+): no request is known that empties the server's caches`, `$1：没有已知的请求能清空服务端的缓存`},
	{`a log is larger than run\.log_limit and cannot be kept smaller: (.+)`, `日志超过 run.log_limit，且无法缩小：$1`},
	{`(.+): (.+) \((\d+) bytes\) were cut out of its middle while it grew, to keep it under run\.log_limit \((.+)\)`, `$1：增长期间从中间删去了 $2（$3 字节），以保持在 run.log_limit（$4）以内`},
	{`what the server really ran with could not be written: (.+)`, `服务端的实际配置无法写入：$1`},

	// Findings against a result.
	{`(\d+) of (\d+) requests failed: (.+)`, `$2 个请求中有 $1 个失败：$3`},
	{`(\d+) of (\d+) requests failed`, `$2 个请求中有 $1 个失败`},
	{`(\d+) of (\d+) requests were served`, `$2 个请求中只完成了 $1 个`},
	{`(\d+) requests were sent, (\d+) were asked for`, `发送了 $1 个请求，要求的是 $2 个`},
	{`no token was generated`, `没有生成任何 token`}, {`no request was completed`, `没有完成任何请求`},
	{`(\d+) tokens were generated, (\d+) were asked for`, `生成了 $1 个 token，要求的是 $2 个`},
	{`(\d+) tokens were generated, the client's arguments ask for (\d+)`, `生成了 $1 个 token，客户端参数要求的是 $2 个`},
	{`the result does not say: (.+)`, `结果中缺少：$1`},
	{`the benchmark lasted (\S+) s`, `测试只持续了 $1 秒`},
	{`the client's output ends in the middle of its result`, `客户端的输出在结果中途中断`},
	{`mean TTFT (\S+) ms is above mean E2E latency (\S+) ms`, `平均 TTFT $1 ms 高于平均 E2E 延迟 $2 ms`},
	{`median TPOT (\S+) ms is far below its mean (\S+) ms: tokens arrived in bunches, the client may have had too little CPU`, `TPOT 中位数 $1 ms 远低于平均值 $2 ms：token 成批到达，客户端的 CPU 可能不足`},
	{`mean E2E latency is (\S+) ms, TTFT and TPOT make it (?:about )?(\S+) ms`, `平均 E2E 延迟为 $1 ms，按 TTFT 与 TPOT 推算为 $2 ms`},
	{`thread (.+) of the client \(pid (\d+)\) computed (\d+) % of the time and waited for a core for (\d+) %: it had none left, so the numbers may be the client's own limit`, `客户端（pid $2）的线程 $1 有 $3% 的时间在计算，$4% 的时间在等待处理器核：已无余力，数字可能是客户端自身的上限`},
	{`others used the server's devices: (.+)`, `有其他进程使用了服务端的设备：$1`},
	{`devices ran slower than they could: (.+)`, `设备降频运行：$1`},
	{`not everything is as it was for (\S+): (.+)`, `与 $1 时不完全相同：$2`},
	{`this start is another server than (\S+): (.+)`, `本次启动与 $1 不是同一个服务端：$2`},
	{`measure it in a run of its own`, `请在单独的运行中测量`},
})

// happened says what befell a run in both languages. What no saying knows stays as it is, and so does
// the engine's own part of a sentence.
func happened(sentence string) page.Text { return inBoth(happenings(), sentence) }

// reasonWords are the validity reasons in words.
var reasonWords = map[string]page.Text{
	result.RequestsFailed:         {EN: "requests failed", ZH: "有请求失败"},
	result.WrongRequestCount:      {EN: "not as many requests as asked for", ZH: "请求数与要求不符"},
	result.NoTokens:               {EN: "nothing was generated", ZH: "没有生成任何内容"},
	result.TokenMismatch:          {EN: "not as many tokens as asked for", ZH: "token 数与要求不符"},
	result.NoMetrics:              {EN: "a metric is missing", ZH: "缺少指标"},
	result.NonFinite:              {EN: "a metric is not a number", ZH: "指标不是有限的数"},
	result.TextJSONDiffer:         {EN: "printed and written results differ", ZH: "打印的结果与写入的结果不一致"},
	result.ClientStarved:          {EN: "the client may have been the bottleneck", ZH: "瓶颈可能在客户端"},
	result.LatencyInconsistent:    {EN: "latencies contradict each other", ZH: "延迟数据相互矛盾"},
	result.ThroughputInconsistent: {EN: "a throughput contradicts tokens and duration", ZH: "吞吐与 token 数和时长矛盾"},
	result.LowerBound:             {EN: "what was found is a lower bound", ZH: "找到的只是下限"},
	result.Partial:                {EN: "the output was cut short", ZH: "输出不完整"},
	result.ServerChanged:          {EN: "another server than at the variant's first start", ZH: "与该变体先前的启动不是同一个服务端"},
	result.ForeignProcess:         {EN: "others used the devices", ZH: "设备被其他进程使用"},
	result.Throttled:              {EN: "devices ran slower than they could", ZH: "设备降频"},
}
