// Command page measures the HTML report of a large run, 10,000 cells: how large it is, how long
// it takes to be written, and how long until it can be used in headless Chromium.
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	go run ./perf/page -bin /tmp/servematrix
//
// It makes the run folder as a run would have left it. A page can be used when its load has ended, its
// table is filled, a filter was applied to all charts, and the browser has drawn the frame after that.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"servematrix/journal"
	"servematrix/perf/program"
	"servematrix/perf/runfolder"
)

var (
	bin    = flag.String("bin", "", "servematrix binary")
	chrome = flag.String("chromium", "chromium", "the browser")
	blocks = flag.Int("blocks", 3, "blocks of 10,000 cells")
	runs   = flag.Int("runs", 5, "how often to write and to open the page")
	kept   = flag.String("run", "", "measure with this run folder")
	limits = flag.Bool("check", false, "end with 1 above 5 MB, 2 s to write or 3 s until usable")
)

func main() { program.Main(bin, measure) }

func measure(dir string) bool {
	folder := journal.Folder(*kept)
	if *kept == "" {
		folder = runfolder.Make(dir, *blocks*runfolder.Side*runfolder.Side, 0)
	}
	path := filepath.Join(dir, "report.html")
	var took, work []time.Duration
	memory := int64(0)
	for range *runs {
		wall, processor, rss := write(folder, path)
		took, work, memory = append(took, wall), append(work, processor), max(memory, rss)
	}
	info, err := os.Stat(path)
	program.Check(err)
	fmt.Printf("size     %.2f MB\n", float64(info.Size())/1e6)
	fmt.Printf("written  p50 %v, slowest %v; processor time %v; at most %d MB resident\n", middle(took), slices.Max(took).Round(time.Millisecond), middle(work), memory>>10)
	usable, filter := open(path)
	fmt.Printf("usable   p50 %v, slowest %v; of it a filter over all charts %v\n", middle(usable), slices.Max(usable).Round(time.Millisecond), middle(filter))
	if *limits && (info.Size() > 5e6 || middle(took) > 2*time.Second || middle(usable) > 3*time.Second) {
		fmt.Println("more than 5 MB, 2 s to write or 3 s until usable")
		return false
	}
	return true
}

// write draws the page once and gives its time, the time of all processors, and the resident
// memory in KiB at most.
func write(folder journal.Folder, path string) (wall, processor time.Duration, rss int64) {
	cmd := exec.Command(*bin, "report", string(folder), "--format", "html", "-o", path)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	program.Check(err)
	state := cmd.ProcessState
	return time.Since(began), state.UserTime() + state.SystemTime(), state.SysUsage().(*syscall.Rusage).Maxrss
}

// ready filters by the first value of the first axis, takes the filter back, and waits for the
// frame that shows it; it gives the milliseconds since the navigation began, and those of the filter.
const ready = `(async () => {
	const began = performance.now(), choice = document.querySelector("#filters select"), count = document.querySelector("#count");
	if (!document.querySelector("#celltable tbody tr[data-cell]")) throw new Error("the table is empty");
	for (const value of ["0", ""]) {
		const before = count.textContent;
		choice.value = value;
		choice.dispatchEvent(new Event("input", { bubbles: true }));
		if (count.textContent === before) throw new Error("the filter does nothing");
	}
	await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
	return [performance.now(), performance.now() - began];
})()`

// open opens the page in tabs of its own and gives how long each took until it was usable.
func open(path string) (usable, filter []time.Duration) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(*chrome), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(2*time.Minute))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	browser, end := chromedp.NewContext(allocator)
	defer end()
	program.Check(chromedp.Do(browser))
	for range *runs {
		tab, closed := chromedp.NewContext(browser)
		program.Check(chromedp.Do(tab, chromedp.EmulateViewport(1280, 800), chromedp.Navigate("file://"+path)))
		ms, err := chromedp.Run(tab, chromedp.Evaluate[[]float64](ready, chromedp.EvalAwaitPromise))
		program.Check(err)
		closed()
		usable = append(usable, time.Duration(ms[0]*float64(time.Millisecond)))
		filter = append(filter, time.Duration(ms[1]*float64(time.Millisecond)))
	}
	return usable, filter
}

func middle(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2].Round(time.Millisecond)
}
