package result

// ReportLabels are the words of the combined report's lines that carry meaning: the report is
// written with them, and Import reads them back. A line is "[SERVER] " or "[CLIENT] " and then
//
//	Start NAME: COMMAND     the server was started           (server)
//	NAME ReadyLINE          its ready line was seen          (server)
//	Run NAME: COMMAND       the client was started           (client)
//	NAME ExitedCODE         the client ended by itself       (client)
//	Stop NAME               the server is being stopped      (server)
//	NAME Stopped            it ended in order                (server)
//
// or "[Failed] CLASS (PHASE): MESSAGE" and the like with Skipped, or "[Invalid] REASON, REASON".
type ReportLabels struct {
	// Banner opens a section: Banner + " SERVER=x  CLIENT=y".
	Banner string
	// Start, Run and Stop precede a name; Stopped follows one.
	Start, Run, Stop, Stopped string
	// Ready and Exited follow a name and end with what separates them from the line seen or
	// the exit code.
	Ready, Exited string
	// Failed, Skipped and Invalid name what became of a sample.
	Failed, Skipped, Invalid string
	// AllDone precedes the place of the results at the end.
	AllDone string
}

var labelsEnglish = ReportLabels{
	Banner: "[CELL]",
	Start:  "start", Run: "run", Stop: "stop", Stopped: "ended in order",
	Ready: "ready line seen: ", Exited: "finished, exit code ",
	Failed: "FAILED", Skipped: "SKIPPED", Invalid: "INVALID",
	AllDone: "All combinations are done. Results: ",
}

// labelsChinese are those of the reports that people have been keeping.
var labelsChinese = ReportLabels{
	Banner: "[组合]",
	Start:  "启动", Run: "运行", Stop: "关闭", Stopped: "已优雅退出",
	Ready: "就绪检测到：", Exited: "完成，退出码 ",
	Failed: "失败", Skipped: "跳过", Invalid: "无效",
	AllDone: "所有组合测试完成！结果保存在：",
}

// Labels gives the report's labels in a language: "zh" for Chinese, anything else for English.
func Labels(lang string) ReportLabels {
	if lang == "zh" {
		return labelsChinese
	}
	return labelsEnglish
}

// readLabels are all that Import understands. The third kind of banner is a translation of the
// Chinese one that is about.
var readLabels = []ReportLabels{labelsEnglish, labelsChinese}

var banners = []string{labelsEnglish.Banner, labelsChinese.Banner, "[COMBINATION]"}
