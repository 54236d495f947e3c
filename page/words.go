package page

import (
	"fmt"
	"html/template"
)

// words are what the page itself says, in English and Chinese; where a word takes arguments they
// come in the same order in both.
var words = map[string]Text{
	"skip":     {"Skip to the results", "跳到结果"},
	"theme":    {"Light or dark", "浅色或深色"},
	"language": {"中文", "English"},
	"sections": {"Sections", "章节"},
	"walk":     {"The arrow keys go from mark to mark, Enter pins the cell, Escape lets it go.", "用方向键在标记之间移动，Enter 固定单元，Escape 取消。"},
	"print":    {"servematrix · one file, nothing is fetched", "servematrix · 单个文件，不加载任何外部内容"},

	"verdict":       {"Verdict", "结论"},
	"failures":      {"Failures", "失败"},
	"ab":            {"A/B", "A/B 对比"},
	"pareto":        {"Throughput and latency", "吞吐与延迟"},
	"heat":          {"Heat map", "热力图"},
	"curves":        {"Load curves", "负载曲线"},
	"timeline":      {"Timeline", "时间线"},
	"telemetry":     {"Telemetry", "遥测"},
	"differences":   {"Configuration: differences only", "配置：仅列差异"},
	"replaced":      {"Clients that were replaced", "被替换的客户端"},
	"replaced.note": {"The embedded client (servematrix bench) ran in place of these commands, without the flags below them.", "由内置客户端（servematrix bench）代替以下命令运行，其下列出未采用的标志。"},
	"cells":         {"All cells", "全部单元"},
	"warnings":      {"Warnings", "警告"},
	"gaps":          {"What is missing here", "此处缺失的内容"},

	"state.empty":   {"Nothing was started yet", "尚未开始"},
	"state.running": {"In progress: this is what there is so far", "进行中：以下为目前已有的结果"},
	"state.crashed": {"Crashed: it ended without its last event", "已崩溃：没有最后一个事件就结束了"},
	"state.holed":   {"Its journal is damaged: this is what could be read", "日志已损坏：以下为可以读取的内容"},
	"state.halted":  {"Ended before everything was measured", "在全部测完之前结束"},
	"state.ended":   {"Everything was tried", "全部已尝试"},

	"imported":      {"Imported", "导入"},
	"imported.from": {"from %s", "来自 %s"},
	"imported.more": {"and %d more", "等另外 %d 个"},

	"state.imported": {"Imported: measured elsewhere, not run here", "导入的结果：在别处测得，并非在此处运行"},

	"all.ok":      {"All %d measured and valid", "%d 项全部测得且有效"},
	"some.ok":     {"%d of %d measured and valid", "%[2]d 项中 %[1]d 项测得且有效"},
	"none.ok":     {"None of %d measured and valid", "%d 项中没有一项有效"},
	"nothing":     {"Nothing to measure", "没有要测的内容"},
	"nothing.yet": {"Nothing is measured yet", "尚无测量结果"},
	"ok":          {"ok", "有效"},
	"invalid":     {"invalid", "无效"},
	"failed":      {"failed", "失败"},
	"skipped":     {"skipped", "跳过"},
	"interrupted": {"interrupted", "中断"},
	"missing":     {"not run", "未运行"},
	"former":      {"no longer in the sweep", "已不在扫描中"},
	"retried":     {"retried", "重试"},
	"wall":        {"Wall time", "总用时"},
	"fromto":      {"%s to %s", "%s 至 %s"},
	"sessions":    {"%d sessions", "%d 个会话"},
	"gate":        {"Validity gate", "有效性检查"},
	"gate.normal": {"normal", "normal（常规）"},
	"gate.strict": {"strict: warnings invalidate too", "strict（严格）：警告也算无效"},
	"gate.pass":   {"nothing was refused", "没有结果被拒绝"},
	"gate.fail":   {"%d refused", "%d 项被拒绝"},
	"exit":        {"exit code %d", "退出码 %d"},
	"baseline":    {"Baseline", "基线"},
	"clean":       {"Is this a clean A/B?", "是干净的 A/B 吗？"},
	"yes":         {"yes", "是"},
	"no":          {"no", "否"},
	"cleanof":     {"%d of %d arms", "%[2]d 组中 %[1]d 组"},
	"nobaseline":  {"nothing to compare", "没有可比较的内容"},
	"simulated":   {"SIMULATED: numbers of the embedded simulated server. They say nothing about any engine or device.", "模拟：以下数字来自内置的模拟服务器，与任何引擎或设备无关。"},
	"smoke":       {"SMOKE RUN: each variant and each workload was tried once, with %d requests at most. Nothing here is a measurement.", "冒烟运行：每个变体和负载只试了一次，最多 %d 个请求。这里没有任何测量结果。"},

	"lines":     {"The lines that matter", "关键日志"},
	"hand":      {"To try by hand", "手动重试"},
	"copy":      {"Copy", "复制"},
	"hint":      {"What usually helps", "通常的解决办法"},
	"where":     {"Log", "日志"},
	"hit":       {"%d affected", "涉及 %d 项"},
	"more":      {"… and %d more", "…… 另有 %d 项"},
	"morekinds": {"%d more kinds are in report.txt.", "另有 %d 种，见 report.txt。"},
	"block":     {"block %d", "第 %d 轮"},
	"phase":     {"phase %s", "阶段 %s"},

	"cell":         {"Cell", "单元"},
	"arm":          {"Arm", "对照组"},
	"starts":       {"Starts", "启动次数"},
	"starts.note":  {"n = server starts. Ratios are geometric means over starts with 95 %% intervals; a lone start has none. The verdict is that of %s.", "n = 服务器启动次数。比值为各次启动的几何平均，附 95%% 区间；只有一次启动时没有区间。结论以 %s 为准。"},
	"paired":       {"Paired on %s", "按 %s 配对"},
	"nointerval":   {"no interval", "无区间"},
	"from":         {"baseline → arm", "基线 → 对照组"},
	"verdict.col":  {"Verdict", "结论"},
	"better":       {"better", "更好"},
	"worse":        {"worse", "更差"},
	"equivalent":   {"equivalent", "相当"},
	"inconclusive": {"inconclusive", "无定论"},
	"compared":     {"Compared with", "基线"},
	"also":         {"What else differs", "其他差异"},
	"inbase":       {"in the baseline", "基线"},
	"inarm":        {"in the arm", "对照组"},
	"moreab":       {"%d more pairs: servematrix compare lists all of them.", "另有 %d 对：servematrix compare 会列出全部。"},

	"tokens.output":  {"tok/s counts output tokens, of the whole server.", "tok/s 只计输出 token，为整个服务器的数值。"},
	"tokens.devices": {"tok/s counts output tokens, divided by the %d devices that each server told it runs on.", "tok/s 只计输出 token，并除以各服务器自己报告的 %d 个设备。"},
	"tokens.device":  {"tok/s counts output tokens, divided by the devices that each server told it runs on: %d to %d.", "tok/s 只计输出 token，并除以各服务器自己报告的设备数：%d 至 %d。"},
	"tokens.total":   {"tok/s counts input and output tokens, of the whole server.", "tok/s 计输入与输出 token 之和，为整个服务器的数值。"},
	"bars":           {"Bars are 95 % intervals over server starts; a lone start has none.", "误差线为各次启动的 95% 区间；只有一次启动时没有。"},
	"table":          {"The numbers as a table", "以表格显示数据"},
	"firstrows":      {"The first %d of %d; all of them are under All cells.", "仅列前 %d / %d 项；全部见“全部单元”。"},
	"axes":           {"Axes", "坐标轴"},
	"metric":         {"Metric", "指标"},
	"value":          {"Value", "值"},
	"launch":         {"Launch", "启动"},
	"start":          {"start", "启动"},
	"ready":          {"ready", "就绪"},
	"client":         {"client", "客户端"},
	"stop":           {"stop", "停止"},
	"xaxis":          {"Latency as", "延迟指标"},
	"low":            {"Least", "最小"},
	"mean":           {"Mean", "平均"},
	"high":           {"Most", "最大"},
	"morefacets":     {"%d more combinations of the other axes are not drawn.", "其余坐标轴的另外 %d 种组合未绘出。"},
	"apart":          {"Points that no line joins share a load, or differ in more than their load.", "未连线的点负载相同，或除负载外还有其他差异。"},
	"morelines":      {"The first %d of %d lines.", "仅绘出前 %d / %d 条曲线。"},

	"filter":      {"Filter", "筛选"},
	"all":         {"all", "全部"},
	"status":      {"Status", "状态"},
	"text":        {"Text", "文本"},
	"reset":       {"Reset", "重置"},
	"shown":       {"%d of %d cells", "%[2]d 个单元中的 %[1]d 个"},
	"server":      {"Server", "服务器"},
	"workload":    {"Workload", "负载"},
	"note":        {"Note", "备注"},
	"csv":         {"Download CSV", "下载 CSV"},
	"json":        {"Download JSON", "下载 JSON"},
	"sorthint":    {"A heading sorts. The name of a cell pins it: it is then marked in every chart.", "点击表头排序。点击单元名称可将其固定，并在所有图表中突出显示。"},
	"mean.note":   {"Means over valid server starts ± half of the 95 % interval; a lone start has none.", "数值为各次有效启动的平均值 ± 95% 区间的一半；只有一次启动时没有区间。"},
	"first":       {"The first %d of %d rows; with a script running, all of them.", "前 %d / %d 行；启用脚本后显示全部。"},
	"pin":         {"Pinned", "已固定"},
	"unpin":       {"Unpin", "取消固定"},
	"what":        {"What", "项目"},
	"who":         {"Value: servers", "值：服务器"},
	"differ.note": {"What the servers really ran with, as they told it themselves.", "服务器自己报告的实际配置。"},
	"nocells":     {"No cell fits the filter.", "没有符合筛选条件的单元。"},
}

// say writes a word in both languages; the stylesheet hides the one that is not wanted.
func say(key string, args ...any) (template.HTML, error) {
	t, ok := words[key]
	if !ok {
		return "", fmt.Errorf("the page has no word %q", key)
	}
	if len(args) > 0 {
		t = t.with(args...)
	}
	return both(t), nil
}

// with fills in what a word takes.
func (t Text) with(args ...any) Text {
	return Text{fmt.Sprintf(t.EN, args...), fmt.Sprintf(t.ZH, args...)}
}

// both writes a text in both languages.
func both(t Text) template.HTML {
	en, zh := template.HTMLEscapeString(t.EN), template.HTMLEscapeString(t.ZH)
	if en == zh {
		return template.HTML(en)
	}
	return template.HTML(`<span class="en" lang="en">` + en + `</span><span class="zh" lang="zh">` + zh + `</span>`)
}

// label writes the attributes of an element whose name the script sets in the page's language.
func label(key, lang string) (template.HTMLAttr, error) {
	t, ok := words[key]
	if !ok {
		return "", fmt.Errorf("the page has no word %q", key)
	}
	now := t.EN
	if lang == "zh" {
		now = t.ZH
	}
	e := template.HTMLEscapeString
	return template.HTMLAttr(`aria-label="` + e(now) + `" data-en="` + e(t.EN) + `" data-zh="` + e(t.ZH) + `"`), nil
}
